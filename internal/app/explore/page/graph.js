import { along, el, say, svg } from "./dom.js";
import { textOn } from "./picture.js";
import { text } from "./text.js";

const tall = 24;
const gap = 12;
const between = 62;

/** A graph in levels: nodes with what is known of them, for mouse and keys, and the edges between. */
export function graphNode(g, name) {
  const wide = Math.max(30, ...g.nodes.map((n) => (n.label || n.id).length * 6.6 + 14));
  const levels = [];
  for (const n of g.nodes) (levels[n.level] ||= []).push(n);
  const width = Math.max(...levels.map((l) => (l || []).length)) * (wide + gap) + gap;
  const place = new Map();
  levels.forEach((list = [], level) => list.forEach((n, i) => {
    place.set(n.id, { x: (width * (i + 0.5)) / list.length, y: 16 + level * between });
  }));
  const exact = el("p", { class: "exact" }, text.graphHelp);
  const lines = g.edges.map((e) => {
    const from = place.get(e.from);
    const to = place.get(e.to);
    return { ...e, line: svg("line", { x1: from.x, y1: from.y + tall / 2, x2: to.x, y2: to.y - tall / 2, class: `edge stroke-${e.stroke || "none"}` }) };
  });
  const nodes = [];
  g.nodes.forEach((n, i) => {
    const at = place.get(n.id);
    const detail = [n.label || n.id, n.detail].filter(Boolean).join(": ");
    const tell = () => {
      const after = lines.filter((e) => e.from === n.id);
      for (const e of lines) e.line.classList.toggle("on", e.from === n.id || e.to === n.id);
      exact.textContent = detail + (after.length ? `; ${after.map((e) => [e.label, "→", e.to].filter(Boolean).join(" ")).join(", ")}` : "");
    };
    nodes.push(svg("g", { role: "img", "aria-label": detail, tabindex: i === 0 ? 0 : -1, "data-node": n.id,
      onpointerenter: tell, onfocus: () => { tell(); say(detail); } },
      svg("title", {}, detail),
      svg("rect", { x: at.x - wide / 2, y: at.y - tall / 2, width: wide, height: tall, rx: 5, class: `paint fill-${n.fill || "white"}` }),
      svg("text", { x: at.x, y: at.y + 4, "font-size": 11, class: textOn(n.fill) }, n.label || n.id)));
  });
  const height = 32 + (levels.length - 1) * between;
  const drawn = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "graph", role: "group", "aria-label": name,
    onkeydown: (e) => along(e, nodes) }, lines.map((e) => e.line), nodes);
  return el("div", {}, exact, el("div", { class: "scroll" }, drawn));
}
