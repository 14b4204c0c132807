import { el, svg } from "./dom.js";
import { text } from "./text.js";

// The windows of a run as squares, a block for each layer, coloured by state: one path for all squares of a state. The
// server writes a character for each square, see plan.Grid.
const pitch = 8;
const side = 7;
const across = 20;

/** What the colours mean. */
export function legend() {
  return el("ul", { class: "window-legend", "aria-label": text.windowStates }, Object.entries(text.windowState).map(([mark, name]) =>
    el("li", {}, svg("svg", { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" },
      svg("rect", { width: 12, height: 12, class: `window-${name.class}` })), " ", name.name)));
}

/** The layers of a status that has a grid. */
export function grids(s) {
  if (!s.grid || s.grid.length === 0) return undefined;
  return el("ol", { class: "grids", "aria-label": text.layers }, s.grid.map((marks, n) => block(marks, n, (s.layers || [])[n])));
}

function block(marks, n, layer) {
  const paths = {};
  const count = {};
  for (let i = 0; i < marks.length; i++) {
    const kind = text.windowState[marks[i]];
    if (!kind) continue;
    paths[kind.class] = (paths[kind.class] || "") +
      `M${(i % across) * pitch} ${Math.floor(i / across) * pitch}h${side}v${side}h-${side}z`;
    count[kind.name] = (count[kind.name] || 0) + 1;
  }
  const each = layer ? Math.ceil(layer.windows / marks.length) : 1;
  const label = `${text.layer} ${n}: ${layer ? `${layer.done} / ${layer.windows} ${text.windows}` : ""}; ` +
    Object.entries(count).map(([name, k]) => `${k} ${name}`).join(", ") + (each > 1 ? `; ${text.eachSquare(each)}` : "");
  const width = Math.max(1, Math.min(across, marks.length)) * pitch;
  const height = Math.max(1, Math.ceil(marks.length / across)) * pitch;
  return el("li", { "data-layer": n }, el("span", { "aria-hidden": "true" }, n),
    svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, svg("title", {}, label),
      Object.entries(paths).map(([kind, d]) => svg("path", { d, class: `window-${kind}` }))));
}
