import { along, el, say, svg } from "./dom.js";
import { grouped, log10 } from "./number.js";
import { text } from "./text.js";
import { superscript, words } from "./words.js";

const side = 34;
const head = 54;

/**
 * A table of pairs, with the columns start and goal, as a matrix of a column: shades go from the least to the largest
 * number, by their logarithms, and each square has its power of ten. What it says when it is pointed at is the number
 * itself. undefined for other tables.
 */
export function matrix(table, column) {
  const at = (name) => table.columns.findIndex((c) => c.name === name);
  const [from, to, value] = [at("start"), at("goal"), at(column)];
  if (from < 0 || to < 0 || value < 0) return undefined;
  const names = (k) => [...new Set(table.rows.map((r) => r[k]))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const starts = names(from);
  const goals = names(to);
  const some = table.rows.map((r) => r[value]).filter((n) => n !== "0").sort((a, b) => log10(a) - log10(b));
  const [least, most] = [some[0] || "1", some[some.length - 1] || "1"];
  const shade = (n) => 0.1 + (0.9 * (log10(n) - log10(least))) / Math.max(1e-9, log10(most) - log10(least));
  const exact = el("p", { class: "exact" }, text.matrixHelp);
  const power = (n) => (n.length > 3 ? `10${superscript(n.length - 1)}` : n);
  const square = (n, x, y) => [
    svg("rect", { x, y, width: side - 2, height: side - 2, rx: 4, class: n === "0" ? "pair-none" : "pair-some",
      "fill-opacity": n === "0" ? undefined : shade(n).toFixed(3) }),
    n !== "0" && svg("text", { x: x + side / 2 - 1, y: y + side / 2 + 3, "font-size": 10, class: `power ${depth(shade(n))}` }, power(n))];
  const squares = table.rows.map((r, i) => {
    const label = text.pair(r[from], r[to], grouped(r[value]), words(column));
    const tell = () => { exact.textContent = label; };
    return svg("g", { role: "img", tabindex: i === 0 ? 0 : -1, "aria-label": label, "data-pair": `${r[from]} ${r[to]}`,
      "data-exact": r[value], onpointerenter: tell, onfocus: () => { tell(); say(label); } }, svg("title", {}, label),
    square(r[value], head + goals.indexOf(r[to]) * side, head + starts.indexOf(r[from]) * side));
  });
  const width = head + goals.length * side;
  const height = head + starts.length * side;
  const name = (t, x, y, more) => svg("text", { x, y, class: "axis", ...more }, t);
  const scale = [...new Set([0, 0.25, 0.5, 0.75, 1].map((k) => some[Math.round(k * (some.length - 1))]).filter(Boolean))];
  return el("figure", { class: "wide" }, el("figcaption", {}, text.matrix(words(column))), exact,
    el("ul", { class: "scale", "aria-label": text.matrixScale }, scale.map((n) =>
      el("li", {}, svg("svg", { width: side, height: side, viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true", class: "matrix" },
        svg("g", {}, square(n, 1, 1))), " ", grouped(n)))),
    el("div", { class: "scroll" }, svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "matrix", role: "group",
      "aria-label": text.matrix(words(column)), onkeydown: (e) => along(e, squares) },
      name(text.goalAxis, head, 12, { class: "axis start" }), name(text.startAxis, 0, head - 10, { class: "axis start" }),
      starts.map((t, i) => name(t, head - 8, head + i * side + side / 2 + 3, { class: "axis end" })),
      goals.map((t, i) => name(t, head + i * side + side / 2, head - 10, { class: "axis middle" })), squares)));
}

/** Which of black and white can be read on a shade, in light and in dark: see the style sheet. */
const depth = (shade) => (shade >= 0.84 ? "deep" : shade >= 0.6 ? "middle" : "faint");
