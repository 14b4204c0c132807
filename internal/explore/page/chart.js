import { along, el, say, svg } from "./dom.js";
import { grouped, log10 } from "./number.js";
import { text } from "./text.js";

const width = 760;
const height = 260;
const left = 96;
const bottom = 26;
const top = 10;

/** The height of a number between 0 and 1. Only marks are placed by it: what is written is the number itself. */
function scaleOf(series, logarithmic) {
  const all = series.flatMap((s) => s.points.map((p) => BigInt(p.exact)));
  const most = all.reduce((a, b) => (a > b ? a : b), 1n);
  if (logarithmic) {
    const decades = Math.max(1, Math.ceil(log10(most) - 1e-9));
    const every = Math.ceil(decades / 8);
    const marks = [];
    for (let d = 0; d <= decades; d += every) marks.push({ at: d / decades, label: d === 0 ? "1" : `10^${d}` });
    return { at: (n) => (BigInt(n) > 0n ? Math.max(0.004, log10(n) / decades) : 0), marks };
  }
  return {
    at: (n) => Number((BigInt(n) * 100000n) / most) / 100000,
    marks: [0n, 1n, 2n, 3n, 4n].filter((k) => (most * k) % 4n === 0n || most > 1000n)
      .map((k) => ({ at: Number(k) / 4, label: short((most * k) / 4n) })),
  };
}

function short(n) {
  const s = String(n);
  return s.length <= 10 ? grouped(s) : `≈ ${s[0]}.${s.slice(1, 3)}e${s.length - 1}`; // rounded down: only an axis
}

/** Bars of up to four series, side by side, with their exact numbers for mouse and keys. */
export function chart(series, xName, yName, logarithmic) {
  const places = [...new Set(series.flatMap((s) => s.points.map((p) => String(p.x))))];
  const scale = scaleOf(series, logarithmic);
  const step = (width - left) / Math.max(1, places.length);
  const thick = Math.max(1, (step * 0.86) / series.length);
  const base = height - bottom;
  const exact = el("p", { class: "exact" }, text.chartHelp);
  const bars = [];
  const tell = (bar) => { exact.textContent = bar.dataset.text; };
  series.forEach((s, k) => {
    for (const p of s.points) {
      const tall = scale.at(p.exact) * (base - top);
      const label = `${series.length > 1 ? `${s.name}: ` : ""}${xName} ${p.x}: ${grouped(p.exact)} ${yName}`;
      const bar = svg("rect", {
        x: left + places.indexOf(String(p.x)) * step + step * 0.07 + k * thick, y: base - tall, width: thick, height: tall,
        class: `bar series-${k}`, "data-text": label, role: "img", "aria-label": label, tabindex: bars.length === 0 ? 0 : -1,
        onfocus: (e) => { tell(e.target); say(label); },
      });
      const area = svg("rect", { x: left + places.indexOf(String(p.x)) * step + k * thick, y: top, width: thick,
        height: base - top, class: "area", onpointerenter: () => tell(bar) });
      bars.push(bar);
      bar.area = area;
    }
  });
  const every = Math.ceil(places.length / 16);
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "group", "aria-label": `${yName} by ${xName}`,
    onkeydown: (e) => along(e, bars) },
    scale.marks.map((m) => {
      const y = base - m.at * (base - top);
      return [svg("line", { x1: left, x2: width, y1: y, y2: y, class: "grid" }),
        svg("text", { x: left - 6, y: y + 4, class: "axis end" }, m.label)];
    }),
    bars.map((b) => b.area), bars,
    places.filter((_, i) => i % every === 0).map((p) =>
      svg("text", { x: left + (places.indexOf(p) + 0.5) * step, y: height - 8, class: "axis" }, p.length > 8 ? `${p.slice(0, 7)}…` : p)));
  const legend = series.length > 1 &&
    el("ul", { class: "legend" }, series.map((s, k) => el("li", { class: `series-${k}` }, s.name)));
  return el("figure", {}, el("figcaption", {}, `${yName} by ${xName}`), legend, drawn, exact);
}
