import { el, notice } from "./dom.js";
import { post } from "./net.js";
import { link } from "./route.js";
import { timeLeft } from "./words.js";
import { text } from "./text.js";
import { best, viewsOf } from "./views.js";

/** What stands for a run that is not complete: a small one is carried out here. */
export class NotCompleteView {
  constructor(run) {
    this.said = el("p", { role: "status" });
    this.bar = el("progress", { max: 1, "aria-label": text.computing(0, 0) });
    this.button = el("button", { type: "button", class: "main", onclick: () => this.send("begin") }, text.begin);
    this.cancel = el("button", { type: "button", "data-do": "cancel", onclick: () => this.send("cancel") }, text.cancel);
    this.node = el("section", { class: "waiting" }, el("h2", {}, run.title), this.said, this.bar,
      el("div", { class: "buttons" }, this.button, this.cancel));
    this.run = run;
    this.update(run);
    if (run.small && run.status.state === "offered") this.send("begin");
  }

  async send(what) {
    try {
      await post(`runs/${this.run.id}/${what}`);
    } catch (error) {
      this.node.append(notice(error));
    }
  }

  update(run) {
    if (run.id !== this.run.id) return;
    const { state, done, windows, error, hint, left } = run.status;
    this.bar.hidden = state !== "running";
    if (windows) this.bar.value = done / windows;
    this.cancel.hidden = !run.small || state !== "running";
    this.button.hidden = !run.small || state === "running";
    this.button.textContent = state === "failed" ? text.again : text.begin;
    this.said.textContent =
      state === "running" ? text.computing(done, windows) + (left ? `, ${timeLeft(left)}` : "")
        : state === "failed" ? [error, hint].filter(Boolean).join("; ")
          : run.small ? text.small : text.incomplete(text.states[state] || state);
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
