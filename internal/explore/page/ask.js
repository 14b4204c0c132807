import { el, notice } from "./dom.js";
import { address, get } from "./net.js";
import { figureNode } from "./figures.js";
import { read } from "./route.js";
import { text } from "./text.js";

/** Every question of every puzzle, asked as on the command line, with its answer as text and pictures. */
export class AskView {
  constructor(run, complete) {
    this.run = run;
    this.complete = complete;
    this.node = el("section", { class: "ask" }, el("p", {}, text.loading));
  }

  async open() {
    this.puzzles = (await get("puzzles")).filter((p) => p.questions.length > 0);
    const puzzle = this.puzzles.find((p) => this.run && p.name === this.run.puzzle) || this.puzzles[0];
    this.answer = el("div", { "aria-live": "polite" });
    this.form = el("form", { onsubmit: (e) => { e.preventDefault(); this.ask(); } });
    this.puzzle = el("select", { onchange: () => this.choose(this.puzzle.value) },
      this.puzzles.map((p) => el("option", { value: p.name, selected: p === puzzle }, p.name)));
    this.question = el("select", { onchange: () => this.pick(this.question.value) });
    this.node.replaceChildren(el("div", { class: "choices" }, el("label", {}, text.puzzle, " ", this.puzzle),
      el("label", {}, text.question, " ", this.question)), this.form, this.answer);
    this.choose(puzzle.name);
  }

  choose(name) {
    this.of = this.puzzles.find((p) => p.name === name);
    this.question.replaceChildren(...this.of.questions.map((q) => el("option", { value: q.name }, q.name)));
    this.pick(this.of.questions[0].name);
  }

  pick(name) {
    const q = (this.asked = this.of.questions.find((one) => one.name === name));
    this.answer.replaceChildren();
    this.inputs = [];
    const input = (kind, f) => {
      const field = f.choices
        ? el("select", {}, [kind === "flag" ? "" : undefined, ...f.choices].filter((c) => c !== undefined)
          .map((c) => el("option", { value: c }, c || f.default || "-")))
        : f.yes ? el("select", {}, ["", "true", "false"].map((c) => el("option", { value: c }, c || f.default)))
          : el("input", { type: "text", placeholder: f.default || "", autocomplete: "off", spellcheck: "false" });
      this.inputs.push({ kind, name: f.name, field });
      return el("label", { class: "field" }, el("span", {}, f.name), field, el("small", {}, f.doc));
    };
    const fits = !q.run || (this.run && this.complete && this.run.puzzle === this.of.name);
    this.form.replaceChildren(el("p", {}, q.short), q.run ? el("p", {}, fits ? text.aboutRun : text.otherRun(this.of.name)) : "",
      ...q.args.map((a) => input("arg", a)), ...q.flags.map((f) => input("flag", f)),
      el("button", { type: "submit", class: "main", disabled: !fits }, text.askIt));
    const given = read();
    if (given.arg && this.inputs[0]) this.inputs[0].field.value = given.arg;
  }

  async ask() {
    const q = this.asked;
    const last = q.args[q.args.length - 1];
    const parameters = { arg: [] };
    for (const { kind, name, field } of this.inputs) {
      const value = field.value.trim();
      if (kind === "flag") parameters[name] = value;
      else if (value) parameters.arg.push(...(last.repeated && last.name === name ? value.split(/\s+/) : [value]));
    }
    const base = q.run ? `runs/${this.run.id}/answer/${q.name}` : `puzzles/${this.of.name}/${q.name}`;
    this.answer.replaceChildren(el("p", {}, text.asking));
    try {
      const said = await get(address(base, parameters));
      this.answer.replaceChildren(el("h2", {}, text.answer), said.text && el("pre", { tabindex: 0 }, said.text),
        said.figures.length > 0 ? el("h2", {}, text.pictures) : "",
        el("div", { class: "figures" }, said.figures.map(figureNode)));
    } catch (error) {
      this.answer.replaceChildren(notice(error));
    }
  }
}
