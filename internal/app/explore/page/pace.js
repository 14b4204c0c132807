import { el, svg } from "./dom.js";
import { grouped } from "./number.js";
import { text } from "./text.js";
import { duration, seconds } from "./words.js";

// How fast runs have been since the page looks at them. Of the time before, the mean is known.
const seen = new Map(); // by run: { s, rows } in the order of time
const most = 600; // every other one goes when there are more

/** Notes the status of a run. */
export function note(run) {
  const { state, started, updated, new_rows: rows = 0 } = run.status;
  if (state !== "running" || !started || !updated) return;
  const s = seconds(started, updated);
  let list = seen.get(run.id) || [{ s: 0, rows: 0 }];
  if (s < list[list.length - 1].s) list = [{ s: 0, rows: 0 }]; // another process leads it now
  if (s > list[list.length - 1].s) list.push({ s, rows });
  seen.set(run.id, list.length > most ? list.filter((_, i) => i % 2 === 0) : list);
}

const [width, height, left, bottom] = [320, 96, 8, 16];

/** The rows by second of a run over the time that it goes on, as a curve. */
export function paceOf(id) {
  const list = seen.get(id) || [];
  if (list.length < 3) return undefined;
  const steps = list.slice(1).map((now, i) => ({ from: list[i].s, to: now.s, rate: (now.rows - list[i].rows) / (now.s - list[i].s) }));
  const end = list[list.length - 1].s;
  const top = Math.max(1, ...steps.map((step) => step.rate));
  const x = (s) => (left + ((width - 2 * left) * s) / end).toFixed(1);
  const y = (rate) => (height - bottom - ((height - bottom - 14) * Math.max(0, rate)) / top).toFixed(1);
  const label = text.pace(grouped(Math.round(steps[steps.length - 1].rate)), grouped(Math.round(top)), duration(end));
  return el("figure", { class: "pace" }, svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    svg("path", { class: "pace-floor", d: `M${left} ${height - bottom}H${width - left}M${left} 14H${width - left}` }),
    svg("path", { class: "pace-line", d: steps.map((step, i) => `${i ? "L" : "M"}${x(step.from)} ${y(step.rate)}H${x(step.to)}`).join("") }),
    svg("text", { x: left, y: 11, class: "axis start" }, text.rate(grouped(Math.round(top)))),
    svg("text", { x: left, y: height - 3, class: "axis start" }, "0 s"),
    svg("text", { x: width - left, y: height - 3, class: "axis end" }, duration(end))), el("figcaption", {}, label));
}
