import { along, el, say, svg } from "./dom.js";
import { grouped, log10 } from "./number.js";
import { text } from "./text.js";

const side = 34;
const head = 54;

/**
 * A table of pairs, with the columns start and goal, as a matrix of a column: each square is as dark as the logarithm of
 * its number. What a square says when it is pointed at is the number itself. undefined for other tables.
 */
export function matrix(columns, rows, column) {
  if (!column || !columns.includes("start") || !columns.includes("goal")) return undefined;
  const names = (key) => [...new Set(rows.map((r) => r[key]))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const starts = names("start");
  const goals = names("goal");
  const most = Math.max(1, ...rows.map((r) => (BigInt(r[column]) > 0n ? log10(r[column]) : 0)));
  const exact = el("p", { class: "exact" }, text.matrixHelp);
  const squares = rows.map((r, i) => {
    const has = BigInt(r[column]) > 0n;
    const label = text.pair(r.start, r.goal, grouped(r[column]), column);
    const tell = () => { exact.textContent = label; };
    return svg("g", { role: "img", tabindex: i === 0 ? 0 : -1, "aria-label": label, "data-pair": `${r.start} ${r.goal}`,
      "data-exact": r[column], onpointerenter: tell, onfocus: () => { tell(); say(label); } },
      svg("title", {}, label),
      svg("rect", { x: head + goals.indexOf(r.goal) * side, y: head + starts.indexOf(r.start) * side, width: side - 2, height: side - 2,
        rx: 4, class: has ? "pair-some" : "pair-none", ...(has ? { "fill-opacity": 0.15 + (0.85 * log10(r[column])) / most } : {}) }));
  });
  const width = head + goals.length * side;
  const height = head + starts.length * side;
  const name = (t, x, y, more) => svg("text", { x, y, class: "axis", ...more }, t);
  return el("figure", { class: "wide" }, el("figcaption", {}, text.matrix(column)), exact,
    el("div", { class: "scroll" }, svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "matrix", role: "group",
      "aria-label": text.matrix(column), onkeydown: (e) => along(e, squares) },
      starts.map((t, i) => name(t, head - 8, head + i * side + side / 2 + 3, { class: "axis end" })),
      goals.map((t, i) => name(t, head + i * side + side / 2, head - 10)), squares)));
}
