import { el, notice, replace, say } from "./dom.js";
import { grouped } from "./number.js";
import { paceOf } from "./pace.js";
import { Sheet } from "./sheet.js";
import { best } from "./views.js";
import { duration, failure, seconds, size, timeLeft, words } from "./words.js";
import { post } from "./net.js";
import { link } from "./route.js";
import { text } from "./text.js";
import { grids, legend } from "./windows.js";

/** The runs, and how far they are. */
export class RunsView {
  constructor(runs, coordinators) {
    this.runs = runs;
    this.coordinators = coordinators;
    this.cards = new Map();
    this.list = el("div", { class: "cards" });
    this.elsewhere = el("div");
    this.sheet = new Sheet("runs", text.runColumns, [...runs.values()].map(row));
    this.sheet.node.classList.add("run-list");
    this.node = el("section", { class: "runs" }, this.sheet.node, el("p", {}, text.runsWait), this.elsewhere,
      el("p", {}, text.runsHelp), legend(), this.list);
    this.updateCoordinators();
    for (const run of runs.values()) this.updateCard(run);
  }

  /** The coordinators elsewhere, with the run of each, or why it does not answer. */
  updateCoordinators() {
    this.elsewhere.replaceChildren(...(this.coordinators.length === 0 ? [] : [el("div", { class: "scroll" },
      el("table", { class: "coordinators" }, el("caption", {}, text.coordinators),
        el("thead", {}, el("tr", {}, text.coordinator.map((t) => el("th", { scope: "col" }, t)))),
        el("tbody", {}, this.coordinators.map((c) => {
          const run = this.runs.get(c.run);
          return el("tr", { "data-coordinator": c.url, "data-answers": c.error ? "no" : "yes" }, el("th", { scope: "row" }, c.url),
            el("td", {}, c.run && (run ? el("a", { href: link({ run: c.run, view: best(run) }) }, `${run.title} (${c.run})`) : c.run)),
            el("td", {}, c.error ? text.noAnswer(c.error) : text.answers));
        }))))]));
  }

  update(run) {
    this.sheet.fill([...this.runs.values()].map(row));
    if (run.at) this.updateCoordinators();
    this.updateCard(run);
  }

  updateCard(run) {
    if (!this.cards.has(run.id)) {
      const card = new Card(run);
      this.cards.set(run.id, card);
      card.node.classList.toggle("small", run.small);
      // Runs of folders and coordinators come before those that can be carried out here.
      this.list.insertBefore(card.node, run.small ? null : this.list.querySelector(".small"));
    }
    this.cards.get(run.id).update(run);
  }
}

/** A run in the list. */
function row(run) {
  const s = run.status;
  const cells = [
    { sort: run.title, node: el("a", { href: link({ run: run.id, view: best(run) }) }, run.title) }, run.puzzle,
    (run.problem || [])[0]?.text.split(",")[0] || "",
    { sort: run.result?.value || "", node: run.result ? [grouped(run.result.value), el("span", { class: "unit" }, ` ${words(run.result.name)}`)] : "" },
    { sort: s.state === "complete" ? run.ended || "" : text.states[s.state], node: s.state === "complete" && run.ended
      ? el("time", { datetime: run.ended }, run.ended.slice(0, 16).replace("T", " ")) : text.states[s.state] || s.state },
    { sort: String(run.seconds || ""), node: run.seconds ? duration(run.seconds) : s.state === "running" && s.started ? duration(elapsed(s)) : "" },
    { sort: String(s.bytes || 0), node: s.windows ? size(s.bytes) : "" },
  ].map((cell) => (typeof cell === "object" ? { ...cell, node: el("span", {}, cell.node) } : cell));
  return Object.assign(cells, { run: run.id });
}

/** The seconds that a run goes on, as of its last status. */
const elapsed = (s) => seconds(s.started, s.updated);

/** One run. What can have the focus stays where it is when something changes. */
class Card {
  constructor(run) {
    this.body = el("div");
    this.verdict = el("div", { class: "verification", role: "status" });
    this.button = el("button", { type: "button", class: "trusted", onclick: () => this.verify(run.id), "data-do": "verify" }, text.verify);
    this.node = el("article", { class: "card", "data-run": run.id, "aria-label": run.title },
      el("h2", {}, el("a", { href: link({ run: run.id, view: best(run) }) }, run.title)),
      this.body, this.button, this.verdict);
  }

  async verify(id) {
    try {
      await post(`runs/${id}/verify`);
    } catch (error) {
      this.verdict.replaceChildren(notice(error));
    }
  }

  update(run) {
    const s = run.status;
    this.node.dataset.state = s.state;
    this.node.classList.toggle("gone", Boolean(run.away));
    replace(this.body,
      el("p", {}, el("span", { class: `state state-${s.state}` }, text.states[s.state] || s.state), ` ${run.puzzle} ${run.id}`,
        run.at && ` · ${run.at}`),
      run.away && el("p", { class: "notice" }, text.heardLast(run.away)),
      s.error && el("p", { class: "notice" }, failure(s)),
      s.windows > 0 && el("p", {}, `${grouped(s.done)} / ${grouped(s.windows)} ${text.windows}, ${grouped(s.rows)} ${text.rows}, ` +
        `${size(s.bytes)}${pace(s)}`),
      s.windows > 0 && el("progress", { max: s.windows, value: s.done, "aria-label": text.windows }),
      s.state === "running" && paceOf(run.id), grids(s), trouble(s), workers(s));
    this.button.hidden = s.state !== "complete" || Boolean(run.away);
    const v = run.verification;
    this.button.disabled = Boolean(v && v.state === "running");
    const said = v && [v.verdict, v.error, v.state === "running" && text.verifying(v.windows, v.total)].filter(Boolean).join("; ");
    if (!v || said === this.said) return;
    this.said = said;
    this.verdict.dataset.state = v.state;
    this.verdict.replaceChildren(el("p", {}, said),
      ...(v.findings || []).map((f) => el("p", { class: "notice" }, [f.kind, f.window, f.text].filter(Boolean).join(" "))));
    if (v.state !== "running") say(said);
  }
}

/** Rate and time left of a run that goes on. */
function pace(s) {
  if (s.state !== "running" || !s.started || !s.updated) return "";
  const time = Math.max(1, elapsed(s));
  const rate = `, ${text.elapsed(duration(time))}, ${text.rate(grouped(Math.round((s.new_rows || 0) / time)))}`;
  const left = s.left ? `, ${timeLeft(s.left)}` : "";
  const waiting = s.waiting ? text.waiting(s.waiting.for, duration(seconds(s.waiting.since, s.updated))) : "";
  return `${rate}${left}${waiting}`;
}

/** What went wrong, what was checked, and what travelled. */
function trouble(s) {
  const list = Object.entries(text.counts).filter(([name]) => s[name])
    .map(([name, label]) => `${label} ${name === "moved_bytes" ? size(s[name]) : grouped(s[name])}`);
  if (s.audit_by) list.push(text.audits(s.audit_fraction || 0, s.audit_by));
  if (s.refused && s.refused.length) list.push(`${text.refused} ${s.refused.join(", ")}`);
  const quarantined = (s.quarantined || []).map((q) =>
    el("p", { class: "notice" }, text.quarantined(q.window, q.attempts, q.error)));
  if (list.length + quarantined.length === 0) return undefined;
  return el("div", { class: "trouble" }, list.length > 0 && el("p", {}, list.join(" · ")), quarantined);
}

function workers(s) {
  if (!s.workers || s.workers.length === 0) return undefined;
  return el("div", { class: "scroll" }, el("table", { class: "workers" }, el("caption", {}, text.workers),
    el("thead", {}, el("tr", {}, text.worker.map((t) => el("th", { scope: "col" }, t)))),
    el("tbody", {}, s.workers.map((w) => el("tr", { "data-worker": w.name }, el("th", { scope: "row" }, w.name), el("td", {}, w.state),
      el("td", {}, text.does(w.busy, w.concurrency, w.tasks), doing(w)), el("td", { class: "number" }, grouped(w.held)),
      el("td", { class: "number" }, size(w.moved || 0)))))));
}

/** The windows that a worker worked on at its last heartbeat. */
function doing(w) {
  if (!w.doing) return undefined;
  return el("ul", { class: "doing" }, w.doing.map((d) => el("li", {},
    text.doing(d.window, Boolean(d.copy), duration(seconds(d.since, w.seen))))));
}
