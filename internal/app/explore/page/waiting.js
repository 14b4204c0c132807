import { el, notice } from "./dom.js";
import { post } from "./net.js";
import { link } from "./route.js";
import { failure, timeLeft } from "./words.js";
import { text } from "./text.js";
import { best, viewsOf } from "./views.js";

/**
 * How far a run is that is carried out here: a text, a bar, and a button that cancels it, to be placed by a view. tell
 * takes the notice of a refusal.
 */
export class Progress {
  constructor(tell) {
    this.tell = tell;
    this.said = el("p", { role: "status" });
    this.bar = el("progress", { max: 1, "aria-label": text.computing(0, 0) });
    this.cancel = el("button", { type: "button", "data-do": "cancel", onclick: () => this.send("cancel") }, text.cancel);
    this.show(undefined, "");
  }

  /** Has the run that is shown begun, or cancelled. */
  async send(what) {
    try {
      await post(`runs/${this.run.id}/${what}`);
    } catch (error) {
      this.tell(notice(error));
    }
  }

  /** Shows a run, or none. otherwise is said of it when it is neither under way nor has failed. */
  show(run, otherwise) {
    this.run = run;
    const status = run ? run.status : {};
    const running = status.state === "running";
    this.bar.hidden = !running;
    if (status.windows) this.bar.value = status.done / status.windows;
    this.cancel.hidden = !running || !run.small;
    this.said.textContent = running ? text.computing(status.done, status.windows) + (status.left ? `, ${timeLeft(status.left)}` : "")
      : status.state === "failed" ? failure(status) : otherwise;
  }
}

/** What stands for a run that is not complete: a small one is carried out here. */
export class NotCompleteView {
  constructor(run) {
    this.id = run.id;
    this.progress = new Progress((refused) => this.node.append(refused));
    this.button = el("button", { type: "button", class: "main", onclick: () => this.progress.send("begin") }, text.begin);
    const { said, bar, cancel } = this.progress;
    this.node = el("section", { class: "waiting" }, el("h2", {}, run.title), said, bar, el("div", { class: "buttons" }, this.button, cancel));
    this.update(run);
    if (run.small && run.status.state === "offered") this.progress.send("begin");
  }

  update(run) {
    if (run.id !== this.id) return;
    const { state } = run.status;
    this.button.hidden = !run.small || state === "running";
    this.button.textContent = state === "failed" ? text.again : text.begin;
    this.progress.show(run, run.small ? text.small : text.incomplete(text.states[state] || state));
  }
}

const viewList = (run) => el("ul", {}, viewsOf(run).map((view) => el("li", {}, el("a", { href: link({ run: run.id, view }) }, text.views[view]))));

/** What stands for the board of a run that has none, with what it has. */
export class NotWaysView {
  constructor(run) {
    this.node = el("section", { class: "waiting" }, el("p", {}, text.notWays), el("p", {}, text.hasViews), viewList(run));
  }
}

/** What stands for a run that is named in the address and is not here. */
export class UnknownView {
  constructor(id, runs) {
    this.node = el("section", { class: "waiting unknown" }, el("div", { class: "notice", role: "alert" },
      el("p", {}, text.unknownRun(id)), el("p", {}, text.unknownRunHint)), el("p", {}, text.allRuns), el("ul", {}, [...runs.values()].map((run) =>
      el("li", {}, el("a", { href: link({ run: run.id, view: best(run) }) }, run.title)))));
  }
}
