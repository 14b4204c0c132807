import { along, el, say, svg } from "./dom.js";
import { grouped, log10 } from "./number.js";
import { text } from "./text.js";
import { superscript } from "./words.js";
import uPlot from "./vendored/uPlot.esm.js";

// The library's styles come with it, before the first chart is laid out.
await new Promise((done) => {
  document.head.append(el("link", { rel: "stylesheet", href: new URL("./vendored/uPlot.min.css", import.meta.url), onload: done, onerror: done }));
});

// uPlot draws bars and axes, from numbers rounded to 53 bits. What is said of a bar is its number itself: over the bars
// lie elements, one for each, that have the focus and their names.
const height = 280;
const font = "12px system-ui, sans-serif";
const colours = ["--accent", "--second", "--to", "--dead"];
const share = 0.86; // of the place of a bar, or of several bars side by side

const alive = new Set(); // charts, until they are gone from the page

/** A colour of the style sheet, light or dark, as it is now. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const { plot } of alive) plot.redraw(false);
});

/** The marks of the axis up to a number: exact, as they are round. */
function marks(most, logarithmic) {
  if (logarithmic) {
    const decades = Math.max(1, Math.ceil(log10(most) - 1e-9));
    const every = Math.ceil(decades / 8);
    return Array.from({ length: Math.floor(decades / every) + 1 }, (_, k) => k * every)
      .map((d) => ({ at: 10 ** d, label: d === 0 ? "1" : `10${superscript(d)}` }));
  }
  let digit = 1n;
  let zeros = 0;
  while (digit * 10n ** BigInt(zeros) * 5n < most) {
    if (digit === 5n) zeros++;
    digit = { 1: 2n, 2: 5n, 5: 1n }[digit];
  }
  const list = [];
  for (let k = 0n; k * digit * 10n ** BigInt(zeros) <= most; k++) {
    const n = k * digit;
    const label = n === 0n ? "0" : zeros < 9 ? grouped(n * 10n ** BigInt(zeros)) : `${n}×10${superscript(zeros)}`;
    list.push({ at: Number(n * 10n ** BigInt(zeros)), label });
  }
  return list;
}

// Places that are numbers stand where they are on the axis, so that those that are missing leave a gap; others, and
// numbers that lie too far apart, stand side by side.
const widest = 400;
const value = (place) => Number(place.replaceAll("\u202f", ""));
const whole = (places) => places.every((p) => p !== "" && Number.isSafeInteger(value(p)));
const inOrder = (places) => (whole(places) ? places.toSorted((a, b) => value(a) - value(b)) : places);
const toScale = (places) => whole(places) && value(places[places.length - 1]) - value(places[0]) < widest;

/**
 * Bars of up to four series, side by side, with their exact numbers: uPlot has the mouse, the elements over the bars the
 * keys.
 */
export function chart(series, xName, yName, logarithmic) {
  const places = inOrder([...new Set(series.flatMap((s) => s.points.map((p) => String(p.x))))]);
  const scaled = toScale(places);
  const spots = scaled ? places.map(value) : places.map((_, i) => i);
  const at = series.map((s) => new Map(s.points.map((p) => [places.indexOf(String(p.x)), String(p.exact)])));
  const most = series.flatMap((s) => s.points.map((p) => BigInt(p.exact))).reduce((a, b) => (a > b ? a : b), 1n);
  const width = share / series.length;
  const left = (i, k) => spots[i] - share / 2 + k * width;
  const exact = el("p", { class: "exact" }, text.chartHelp);
  const bars = [];
  at.forEach((numbers, k) => {
    for (const [i, n] of numbers) {
      const label = text.bar(series.length > 1 ? series[k].name : "", xName, places[i], grouped(n), yName);
      const bar = svg("rect", { class: `bar series-${k}`, role: "img", "aria-label": label, tabindex: bars.length === 0 ? 0 : -1,
        onfocus: () => { exact.textContent = label; say(label); } });
      bar.drawn = { i, k, n: Number(n) };
      bars.push(bar);
    }
  });
  const over = svg("svg", { class: "bars", role: "group", "aria-label": text.chart(yName, xName), onkeydown: (e) => along(e, bars) }, bars);

  /** Lays the elements of the bars over what is drawn. */
  const lay = (u) => {
    for (const bar of bars) {
      const { i, k, n } = bar.drawn;
      const [from, to] = [left(i, k), left(i, k + 1)].map((x) => u.valToPos(x, "x"));
      const base = u.bbox.height / uPlot.pxRatio;
      const top = n > 0 ? u.valToPos(n, "y") : base;
      const tall = Math.max(3, base - top); // so that what is 0 can be seen to have the focus
      for (const [name, value] of Object.entries({ x: from, y: base - tall, width: to - from, height: tall })) bar.setAttribute(name, value);
    }
  };
  /** Says all numbers of the place that is pointed at. */
  const point = (u) => {
    const i = u.cursor.idx;
    const known = at.map((numbers, k) => [series[k].name, numbers.get(i)]).filter(([, n]) => n !== undefined);
    if (typeof i !== "number" || known.length === 0) return;
    exact.textContent = series.length === 1 ? text.bar("", xName, places[i], grouped(known[0][1]), yName)
      : text.beside(xName, places[i], yName, known.map(([name, n]) => `${grouped(n)} (${name})`));
  };

  const shown = marks(most, logarithmic);
  const wide = 14 + 7 * Math.max(...places.map((p) => Math.min(8, p.length))); // of a name below the axis, in pixels
  const axis = (more) => ({
    stroke: () => colour("--soft"), grid: { stroke: () => colour("--grid"), width: 1 }, ticks: { show: false },
    font, filter: (u, list) => list, ...more,
  });
  const plot = new uPlot({
    width: 760, height, legend: { show: false }, padding: [10, 4, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, range: () => [spots[0] - 0.5, spots[spots.length - 1] + 0.5] },
      // A bar of 1 has some height, too.
      y: logarithmic ? { distr: 3, range: () => [0.8, 10 ** Math.max(1, Math.ceil(log10(most) - 1e-9))] } : { range: () => [0, Number(most)] },
    },
    axes: [
      axis({ size: 26, gap: 4, grid: { show: false }, label: xName, labelSize: 18, labelGap: 0, labelFont: font,
        splits: (u) => {
          const span = spots[spots.length - 1] - spots[0] + 1;
          const least = Math.ceil((span * wide) / Math.max(wide, u.bbox.width / uPlot.pxRatio));
          if (spots[1] === undefined || spots.every((spot, i) => spot === i)) return spots.filter((i) => i % least === 0);
          const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((n) => n >= least) || least;
          return Array.from({ length: span }, (_, i) => spots[0] + i).filter((x) => x % every === 0);
        },
        values: (u, list) => list.map((x) => {
          const name = scaled ? grouped(x) : places[x];
          return name.length > 8 ? `${name.slice(0, 7)}…` : name;
        }) }),
      axis({ label: yName, labelSize: 18, labelGap: 0, labelFont: font, size: 12 + 7 * Math.max(...shown.map((m) => m.label.length)), gap: 6,
        splits: () => shown.map((m) => m.at), values: () => shown.map((m) => m.label) }),
    ],
    series: [{}, ...series.map((s, k) => ({
      width: 0, points: { show: false }, fill: () => colour(colours[k]),
      paths: uPlot.paths.bars({ disp: {
        x0: { unit: 1, values: () => places.map((_, i) => left(i, k)) }, size: { unit: 1, values: (u) => u.data[0].map(() => width) },
      } }),
    }))],
    hooks: { draw: [lay], setCursor: [point] },
  }, [spots, ...at.map((numbers) =>
    places.map((_, i) => (!numbers.has(i) || (logarithmic && numbers.get(i) === "0") ? null : Number(numbers.get(i)))))]);
  plot.ctx.canvas.setAttribute("aria-hidden", "true");
  plot.over.append(over);

  const place = el("div", { class: "chart" }, plot.root);
  new ResizeObserver(() => plot.setSize({ width: Math.max(240, place.clientWidth), height })).observe(place);
  for (const other of alive) {
    if (other.place.isConnected) continue;
    other.plot.destroy();
    alive.delete(other);
  }
  alive.add({ plot, place });
  const legend = series.length > 1 &&
    el("ul", { class: "legend" }, series.map((s, k) => el("li", { class: `series-${k}` }, s.name)));
  return el("figure", {}, el("figcaption", {}, text.chart(yName, xName)), legend, place, exact);
}
