import { el } from "./dom.js";
import { grouped } from "./number.js";
import { link } from "./route.js";
import { text } from "./text.js";

/** The runs, and how far they are. */
export class RunsView {
  constructor(runs) {
    this.cards = new Map();
    this.list = el("div", { class: "cards" });
    this.node = el("section", { class: "runs" }, el("p", {}, text.runsHelp), this.list);
    for (const run of runs.values()) this.update(run);
  }

  update(run) {
    const card = this.card(run);
    const before = this.cards.get(run.id);
    if (before) before.replaceWith(card);
    else this.list.append(card);
    this.cards.set(run.id, card);
  }

  card(run) {
    const s = run.status;
    return el("article", { class: "card", "data-run": run.id, "data-state": s.state, "aria-label": run.title },
      el("h2", {}, el("a", { href: link({ run: run.id, view: run.ways ? "board" : "tables" }) }, run.title)),
      el("p", {}, el("span", { class: `state state-${s.state}` }, text.states[s.state] || s.state), ` ${run.puzzle} ${run.id}`),
      s.error && el("p", { class: "notice" }, [s.error, s.hint].filter(Boolean).join("; ")),
      s.windows > 0 && el("p", {}, `${grouped(s.done)} / ${grouped(s.windows)} ${text.windows}, ${grouped(s.rows)} ${text.rows}${this.pace(s)}`),
      s.windows > 0 && el("progress", { max: s.windows, value: s.done, "aria-label": text.windows }),
      this.layers(s), this.trouble(s), this.workers(s));
  }

  /** Rate and time left of a run that goes on. */
  pace(s) {
    if (s.state !== "running" || !s.started || !s.updated) return "";
    const seconds = Math.max(1, (Date.parse(s.updated) - Date.parse(s.started)) / 1000);
    const rate = `, ${text.rate(grouped(Math.round((s.new_rows || 0) / seconds)))}`;
    const all = s.addresses || 0;
    const made = s.new_addresses || 0;
    const share = s.windows ? (s.windows - s.done) / s.windows : 0;
    if (!s.planned || made === 0 || all === 0) return rate;
    return `${rate}, ${text.left(duration((share * all * seconds) / made))}`;
  }

  /** A bar for each layer: how many of its windows are committed. */
  layers(s) {
    if (!s.layers || s.layers.length === 0 || s.state === "complete") return undefined;
    return el("ol", { class: "layers" }, s.layers.map((l) =>
      el("li", { title: `${text.layer} ${l.layer}: ${l.done} / ${l.windows}` },
        el("meter", { min: 0, max: Math.max(1, l.windows), value: l.done, "aria-label": `${text.layer} ${l.layer}` }))));
  }

  trouble(s) {
    return (s.retries || s.lost) && el("p", {}, text.trouble(s.retries || 0, s.lost || 0));
  }

  workers(s) {
    if (!s.workers || s.workers.length === 0) return undefined;
    return el("div", { class: "scroll" }, el("table", { class: "workers" }, el("caption", {}, text.workers),
      el("thead", {}, el("tr", {}, text.worker.map((t) => el("th", { scope: "col" }, t)))),
      el("tbody", {}, s.workers.map((w) => el("tr", { "data-worker": w.name }, el("th", { scope: "row" }, w.name), el("td", {}, w.state),
        el("td", {}, `${w.busy}/${w.concurrency}`), el("td", { class: "number" }, grouped(w.held)),
        el("td", { class: "number" }, grouped(w.moved || 0)))))));
  }
}

function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
