import { el, notice } from "./dom.js";
import { graphNode } from "./graph.js";
import { load } from "./net.js";
import { picture } from "./picture.js";

/** A picture of an answer: a board, a chart or a graph. parts are those of a board, as picture takes them. */
export function figureNode(figure, parts = []) {
  if (figure.board) return el("figure", {}, el("figcaption", {}, figure.title), picture(figure.board, figure.title, undefined, parts));
  if (figure.chart) return el("figure", { class: "wide" }, el("figcaption", {}, figure.title), chartNode(figure.chart));
  return el("figure", { class: "wide" }, el("figcaption", {}, figure.title), graphNode(figure.graph, figure.title));
}

function chartNode(c) {
  const whole = c.series.every((s) => s.points.every((p) => /^\d+$/.test(p.exact || String(p.y))));
  if (whole) {
    const series = c.series.map((s) => ({ name: s.name, points: s.points.map((p) => ({ x: p.x, exact: p.exact || String(p.y) })) }));
    return drawn(series, c.x, c.y, !c.linear);
  }
  return el("table", {}, el("tbody", {}, c.series.flatMap((s) =>
    s.points.map((p) => el("tr", {}, el("th", { scope: "row" }, `${s.name} ${p.x}`), el("td", { class: "number" }, p.exact || String(p.y)))))));
}

/** A chart, whose library comes with the first one. */
export function drawn(...what) {
  const place = el("div", { class: "chart-place" });
  load(import("./chart.js")).then(({ chart }) => place.replaceChildren(chart(...what)), (error) => place.replaceChildren(notice(error)));
  return place;
}
