import { el, notice } from "./dom.js";
import { address, get } from "./net.js";
import { figureNode } from "./figures.js";
import { go, link, read } from "./route.js";
import { Steps, stepsOf } from "./steps.js";
import { text } from "./text.js";

/** What stands in a field. Blanks before a drawing stay, because they place its first row. */
const given = (field) => (field.type === "checkbox" && !field.checked ? "" : field.value.includes("/") ? field.value : field.value.trim());

/** Pastes a text of several rows, which a field would join: a drawing in one line has another sign between its rows. */
function pasteRows(event, between) {
  const pasted = event.clipboardData.getData("text/plain").replace(/\s*$/, "");
  if (!/[\r\n]/.test(pasted)) return;
  event.preventDefault();
  event.target.setRangeText(pasted.replace(/\r\n?|\n/g, between), event.target.selectionStart, event.target.selectionEnd, "end");
}

/**
 * Every question of every puzzle, asked as on the command line, with its answer as text, pictures, and steps where it has
 * some. What is asked stands in the address: of puzzle p the question q, and a field NAME as x.NAME.
 */
export class AskView {
  constructor(run, complete) {
    this.run = run;
    this.complete = complete;
    this.node = el("section", { class: "ask" }, el("p", {}, text.loading));
  }

  async open() {
    this.puzzles = (await get("puzzles")).filter((p) => p.questions.length > 0);
    const puzzle = this.puzzles[0];
    this.answer = el("div", { "aria-live": "polite" });
    this.form = el("form", { onsubmit: (e) => { e.preventDefault(); this.ask(); } });
    this.puzzle = el("select", { onchange: () => this.choose(this.puzzle.value) },
      this.puzzles.map((p) => el("option", { value: p.name, selected: p === puzzle }, p.name)));
    this.question = el("select", { onchange: () => this.pick(this.question.value) });
    this.node.replaceChildren(el("div", { class: "choices" }, el("label", {}, text.puzzle, " ", this.puzzle),
      el("label", {}, text.question, " ", this.question)), this.form, this.answer);
    await this.show();
  }

  /** Shows the question of the address, and asks it when its fields are there too. */
  async show() {
    const now = read();
    const named = this.puzzles.find((p) => p.name === now.p) || this.puzzles.find((p) => this.run && p.name === this.run.puzzle) ||
      this.puzzles[0];
    if (!this.of || now.p) {
      this.puzzle.value = named.name;
      this.choose(named.name);
    }
    if (named.questions.some((q) => q.name === now.q)) {
      this.question.value = now.q;
      this.pick(now.q);
    }
    const given = Object.keys(now).filter((name) => name.startsWith("x."));
    if (given.length === 0 || !this.fits) return;
    for (const { name, field } of this.inputs) {
      if (field.type === "checkbox") field.checked = now[`x.${name}`] === "true";
      else field.value = now[`x.${name}`] || "";
    }
    await this.answerIt();
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
    const example = text.examples[`${this.of.name}/${q.name}`] || {};
    const input = (kind, f) => {
      const field = f.choices
        ? el("select", {}, [kind === "flag" ? "" : undefined, ...f.choices].filter((c) => c !== undefined)
          .map((c) => el("option", { value: c }, c || f.default || "-")))
        : f.yes && f.default === "false" ? el("input", { type: "checkbox", value: "true" })
          : el("input", { type: "text", placeholder: f.default || "", autocomplete: "off", spellcheck: "false",
            onpaste: (e) => pasteRows(e, f.repeated ? " " : "/"), value: example[f.name] });
      this.inputs.push({ kind, name: f.name, field });
      return el("label", { class: "field" }, el("span", {}, f.name), field, el("small", {}, f.doc));
    };
    const about = this.run && this.complete && this.run.puzzle === this.of.name;
    const fits = this.fits = !q.run || about;
    this.form.replaceChildren(el("p", {}, q.short), q.run ? el("p", {}, fits ? text.aboutRun : text.otherRun(this.of.name)) : "",
      q.may && about ? this.choice(q, example) : "", ...q.args.map((a) => input("arg", a)), ...q.flags.map((f) => input("flag", f)),
      el("button", { type: "submit", class: "main", disabled: !fits }, text.askIt));
  }

  /** Whether a question is about the run. The run has its own problem, so examples leave the fields that may be empty. */
  choice(q, example) {
    const field = el("select", { name: "run", onchange: () => {
      for (const one of this.inputs) {
        const needed = q.args.some((a) => a.name === one.name && !a.optional);
        if (field.value && !needed && one.field.value === example[one.name]) one.field.value = "";
      }
    } }, el("option", { value: "" }, text.withoutRun), el("option", { value: "yes" }, text.aboutRun));
    this.inputs.push({ kind: "run", name: "run", field });
    return el("label", { class: "field" }, el("span", {}, text.question), field);
  }

  /** Asks: what is asked goes into the address, from where it is read. */
  ask() {
    const { run } = read();
    const to = { run, view: "ask", p: this.of.name, q: this.asked.name };
    for (const { name, field } of this.inputs) to[`x.${name}`] = given(field);
    if (!this.inputs.some(({ field }) => given(field).trim())) to["x."] = "1"; // it is asked, with nothing in its fields
    if (!go(to)) this.answerIt(); // it is there already
  }

  /** Has the question answered with what the fields hold. */
  async answerIt() {
    const q = this.asked;
    const last = q.args[q.args.length - 1];
    const parameters = { arg: [] };
    let ofRun = q.run;
    for (const { kind, name, field } of this.inputs) {
      const value = given(field);
      if (kind === "run") ofRun = value !== "";
      else if (kind === "flag") parameters[name] = value;
      else if (value) parameters.arg.push(...(last.repeated && last.name === name ? value.split(/\s+/) : [value]));
    }
    const base = ofRun ? `runs/${this.run.id}/answer/${q.name}` : `puzzles/${this.of.name}/${q.name}`;
    this.answer.replaceChildren(el("p", {}, text.asking));
    try {
      const said = await get(address(base, parameters));
      if (q !== this.asked) return; // another one was chosen meanwhile
      const frames = stepsOf(this.of.name, q.name, said);
      this.answer.replaceChildren(
        ...(frames.length > 1 ? [el("h2", {}, text.steps), new Steps(frames).node] : []),
        el("h2", {}, text.answer), said.text ? el("pre", { tabindex: 0, role: "region", "aria-label": text.answer }, said.text) : "", this.onward(q, said.document),
        said.figures.length > 0 ? el("h2", {}, text.pictures) : "",
        el("div", { class: "figures" }, said.figures.map((figure) => figureNode(figure))));
    } catch (error) {
      if (q === this.asked) this.answer.replaceChildren(notice(error));
    }
  }

  /** A link to play on from the position that a question of a game is about. */
  onward(q, document) {
    const { game, name } = this.of;
    if (![game?.start, game?.play].includes(q.name)) return "";
    const flags = Object.fromEntries(this.inputs.filter(({ name: flag }) => game.play === q.name && q.flags.some((f) => f.name === flag && flag !== game.reply))
      .map(({ name: flag, field }) => [`x.${flag}`, given(field)]));
    return el("p", {}, el("a", { "data-do": "playFrom", href: link({ run: read().run, view: "play", p: name, at: document.position, ...flags }) }, text.playFrom));
  }
}
