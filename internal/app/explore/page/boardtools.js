import { el, notice, say } from "./dom.js";
import { address, ask, boardFlags, get } from "./net.js";
import { grouped } from "./number.js";
import { url } from "./route.js";
import { text } from "./text.js";

/** The tools below a board: set a position up, copy what is shown, paste a game or a position, look a solution up. */
export class BoardTools {
  /** view is the board view that they belong to. */
  constructor(view) {
    this.view = view;
    const button = (name, fn) => el("button", { type: "button", onclick: fn, "data-do": name }, text[name]);
    this.edit = button("setUp", () => this.setEditing(!view.editing));
    this.whole = [button("clear", () => view.setUp(view.board.filled(false))), button("fill", () => view.setUp(view.board.filled(true)))];
    this.said = el("p", { class: "tool-said", role: "status" });
    this.pasted = el("textarea", { rows: 2, spellcheck: "false", autocomplete: "off", id: "pasted", "aria-describedby": "pasted-help",
      onkeydown: (e) => { if (e.key === "Enter" && !e.shiftKey) { e.preventDefault(); this.paste(this.pasted.value); } } });
    this.number = el("input", { type: "text", inputmode: "numeric", autocomplete: "off", id: "number" });
    this.node = el("section", { class: "tools", "aria-label": text.tools },
      el("div", { class: "buttons" }, button("copyLink", () => this.copy(this.link())),
        button("copyGame", () => this.copy(view.game.join(" "))), button("copyPosition", () => this.copy(view.position)),
        this.edit, this.whole),
      el("form", { class: "paste", onsubmit: (e) => { e.preventDefault(); this.paste(this.pasted.value); } },
        el("label", { for: "pasted" }, text.paste), this.pasted, el("button", { type: "submit" }, text.showIt)),
      el("form", { class: "paste", onsubmit: (e) => { e.preventDefault(); this.look(this.number.value); } },
        el("label", { for: "number" }, text.solutionNumber), this.number, el("button", { type: "submit" }, text.showIt)),
      this.said, el("p", { class: "help", id: "pasted-help" }, text.pasteHelp));
    this.mark(false);
  }

  setEditing(on) {
    this.view.stop();
    this.mark(on);
    this.view.choose(undefined);
  }

  mark(on) {
    this.view.editing = on;
    this.edit.setAttribute("aria-pressed", on);
    for (const b of this.whole) b.hidden = !on;
    this.view.svg.node.classList.toggle("editing", on);
  }

  /** The address of what is shown, which names the problem and no run: it is good wherever the page is. */
  link() {
    const { board, run, start, goal, at, game } = this.view;
    return url({ board: run.board, start: board.hex(start), goal: board.hex(goal), at, game: game.join(".") });
  }

  async copy(what) {
    try {
      await navigator.clipboard.writeText(what);
      this.tell(text.copied(what));
    } catch { // the browser does not allow it: it is there to be copied by hand
      this.pasted.value = what;
      this.pasted.select();
      this.tell(text.copyByHand);
    }
  }

  tell(what) {
    this.said.replaceChildren(what);
  }

  async paste(given) {
    const { board, start, goal, run } = this.view;
    const what = given.trim();
    this.pasted.value = what;
    if (what.includes("#board=") || what.includes("#run=")) {
      location.hash = what.slice(what.indexOf("#"));
      return;
    }
    await this.take(async () => {
      const said = (await get(address("puzzles/peg/read",
        { arg: given, ...boardFlags(run.board), start: board.hex(start), goal: board.hex(goal) }))).document;
      if (said.kind === "game") this.view.setGame(said.jumps);
      else this.view.setUp(said.position);
    });
  }

  /** Shows the solution of a number. */
  async look(number) {
    await this.take(async () => {
      const said = (await ask(this.view.run.id, "solution", { arg: number.replace(/[\s\u202f,]/g, "") })).document;
      this.view.setGame(said.solution[0].jumps.split(" "));
    });
  }

  async take(fn) {
    this.view.stop();
    try {
      await fn();
      this.tell("");
    } catch (error) {
      this.tell(notice(error));
      say(error.message);
    }
  }

  /** The number of the solution that is shown, in words. */
  async numbered() {
    const { view } = this;
    const game = view.game.join(" ");
    const said = (await ask(view.run.id, "solution", { arg: game })).document;
    return view.game.join(" ") === game && view.position === view.goal
      ? text.solutionIs(grouped(said.solution[0].number), grouped(said.all_solutions)) : undefined;
  }
}
