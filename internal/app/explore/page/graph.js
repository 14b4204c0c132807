import { along, el, say, svg } from "./dom.js";
import { textOn } from "./picture.js";
import { text } from "./text.js";

const tall = 24;
const gap = 12;
const between = 38; // two levels
const brick = { width: 16, height: 9, gap: 4, margin: 7 };

const highest = (n) => Math.max(0, ...(n.piles || []).map((pile) => pile.length));
const heightOf = (n) => Math.max(tall, n.piles ? 2 * brick.margin + brick.height * highest(n) : 0);
const widthOf = (n) => (n.piles ? 2 * brick.margin + n.piles.length * (brick.width + brick.gap) - brick.gap
  : Math.max(30, (n.label || n.id).length * 6.6 + 14));

/** The piles of bricks of a node around a point, on one ground. */
function bricks(n, at) {
  const ground = at.y + (brick.height * highest(n)) / 2;
  return n.piles.flatMap((pile, i) => pile.flatMap((b, k) => {
    const x = at.x - widthOf(n) / 2 + brick.margin + i * (brick.width + brick.gap);
    const y = ground - brick.height * (pile.length - k);
    return [svg("rect", { x, y, width: brick.width, height: brick.height, class: `paint fill-${b.fill}` }),
      b.label && svg("text", { x: x + brick.width / 2, y: y + brick.height - 1.5, "font-size": 8, class: textOn(b.fill) }, b.label)];
  }));
}

/** A graph in levels: nodes with what is known of them, for mouse and keys, and the edges between. */
export function graphNode(g, name) {
  const wide = Math.max(...g.nodes.map(widthOf));
  const levels = [];
  for (const n of g.nodes) (levels[n.level] ||= []).push(n);
  const width = Math.max(...levels.map((l) => (l || []).length)) * (wide + gap) + gap;
  const place = new Map();
  let height = 4;
  levels.forEach((list = []) => {
    const high = Math.max(tall, ...list.map(heightOf));
    list.forEach((n, i) => place.set(n.id, { x: (width * (i + 0.5)) / list.length, y: height + high / 2, tall: heightOf(n) }));
    height += high + between;
  });
  height += 4 - between;
  const exact = el("p", { class: "exact" }, text.graphHelp);
  const lines = g.edges.map((e) => {
    const from = place.get(e.from);
    const to = place.get(e.to);
    return { ...e, line: svg("line", { x1: from.x, y1: from.y + from.tall / 2, x2: to.x, y2: to.y - to.tall / 2, class: `edge stroke-${e.stroke || "none"}` }) };
  });
  const nodes = [];
  g.nodes.forEach((n, i) => {
    const at = place.get(n.id);
    const detail = n.piles ? n.detail : [n.label || n.id, n.detail].filter(Boolean).join(": ");
    const own = n.piles ? widthOf(n) : wide;
    const tell = () => {
      const after = lines.filter((e) => e.from === n.id);
      for (const e of lines) e.line.classList.toggle("on", e.from === n.id || e.to === n.id);
      exact.textContent = detail + (after.length ? `; ${after.map((e) => [e.label, "→", e.to].filter(Boolean).join(" ")).join(", ")}` : "");
    };
    nodes.push(svg("g", { role: "img", "aria-label": detail, tabindex: i === 0 ? 0 : -1, "data-node": n.id,
      onpointerenter: tell, onfocus: () => { tell(); say(detail); } },
      svg("title", {}, detail),
      svg("rect", { x: at.x - own / 2, y: at.y - at.tall / 2, width: own, height: at.tall, rx: 5,
        class: n.piles ? `paint fill-white frame-${n.fill || "none"}` : `paint fill-${n.fill || "white"}` }),
      n.piles ? bricks(n, at) : svg("text", { x: at.x, y: at.y + 4, "font-size": 11, class: textOn(n.fill) }, n.label || n.id)));
  });
  const drawn = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "graph", role: "group", "aria-label": name,
    onkeydown: (e) => along(e, nodes) }, lines.map((e) => e.line), nodes);
  return el("div", {}, exact, el("div", { class: "scroll" }, drawn));
}
