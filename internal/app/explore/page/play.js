import { Answers } from "./answers.js";
import { gameList } from "./boardparts.js";
import { asButton, el, notice, replace, say } from "./dom.js";
import { figureNode } from "./figures.js";
import { neighbour } from "./game.js";
import { address, get, once } from "./net.js";
import { picture } from "./picture.js";
import { said } from "./playtext.js";
import { between, go, read } from "./route.js";
import { Steps, stepsOf } from "./steps.js";
import { text } from "./text.js";
import { shown, words } from "./words.js";

/** How many answers are asked ahead: those about the positions after the best moves. */
const ahead = 8;

/** What a document says beside the moves and the position. */
const apart = ["puzzle", "position", "moves", "notes", "reply"];

/** The worth of a move: all that its row says beside its name and the position after it. */
const worthOf = ({ move: _move, position: _position, ...rest }) => Object.entries(rest).map(([name, value]) => `${words(name)} ${shown(String(value))}`).join(", ");

/** What tells the game of an address from others. */
const keyOf = ({ p, at, moves, reply, hide }, flags) => JSON.stringify([p, at, moves || "", reply || "", hide || "", flags]);

/**
 * A game of any puzzle that is played. The page knows no rules: an answer of the server has the pictures, the parts that
 * are pressed, and the moves with the positions after them. What is pressed before an answer is there waits for it, so
 * that no input is lost. The game stands in the address: the position at its beginning, and the names of its moves.
 */
export class PlayView {
  constructor(run) {
    this.run = run;
    this.queue = []; // inputs that wait for the answer about the position
    this.line = []; // moves that were made, those that were undone included
    this.made = 0; // how many of them lead to what is shown
    this.answers = new Answers((position) => this.path(position));
    this.drawn = {}; // the game as it was shown last
    this.node = el("section", { class: "play puzzle-play", onkeydown: (e) => this.key(e) }, el("p", {}, text.loading));
  }

  async open() {
    this.puzzles = (await get("puzzles")).filter((p) => p.game);
    const button = (name, label, key, fn) => el("button", { type: "button", onclick: () => this.input(fn), "data-do": name, "aria-keyshortcuts": key }, label);
    this.buttons = {
      undo: button("undo", text.undo, "u", () => this.goTo(this.back())), redo: button("redo", text.redo, "r", () => this.goTo(this.forth())),
      restart: button("restart", text.restart, undefined, () => this.goTo(0)), hint: button("hint", text.hint, "h", () => this.hint()),
      program: button("program", said.program, "p", () => this.reply()),
    };
    const check = (name, label, fn) => {
      const box = (this[name] = el("input", { type: "checkbox", "data-do": name, onchange: () => this.input(fn) }));
      return el("label", { class: "check" }, box, " ", label);
    };
    this.replyLabel = check("replies", said.replies, () => this.note());
    this.puzzle = el("select", { onchange: () => this.input(() => this.newGame(this.puzzle.value)) }, this.puzzles.map((p) => el("option", { value: p.name }, p.name)));
    this.fields = el("span", { class: "fields" });
    this.head = el("p", { class: "verdict worth", id: "verdict" });
    this.title = el("h2", { class: "problem-title" });
    this.stage = el("div", { class: "stage-pictures", "aria-describedby": "play-help", onkeydown: (e) => this.arrow(e) });
    this.told = el("p", { class: "tool-said", role: "status" });
    this.side = el("div", { class: "side" });
    this.more = el("section", { class: "tools" });
    const field = (name, make, label, help, does, fn) => {
      this[name] = make;
      return el("form", { class: "paste", onsubmit: (e) => { e.preventDefault(); const given = make.value; this.input(() => fn(given)); } },
        el("label", { for: make.id }, label), make, el("button", { type: "submit" }, does), help && el("p", { class: "help", id: `${make.id}-help` }, help));
    };
    const plain = { spellcheck: "false", autocomplete: "off" };
    replace(this.node,
      el("form", { class: "choices begin", onsubmit: (e) => { e.preventDefault(); this.input(() => this.newGame(this.of.name)); } },
        el("label", {}, text.puzzle, " ", this.puzzle), this.fields, el("button", { type: "submit", class: "main", "data-do": "new", "aria-keyshortcuts": "n" }, said.newGame)),
      el("section", { class: "stage", "aria-label": said.board }, this.title, this.head,
        el("div", { class: "buttons" }, Object.values(this.buttons)),
        el("div", { class: "buttons" }, this.replyLabel, check("worth", said.worth, () => this.note())), this.told, this.stage),
      this.side,
      el("section", { class: "tools", "aria-label": text.tools },
        field("origin", el("input", { type: "text", id: "play-at", ...plain }), said.position, "", said.show, (at) => this.begin(at.trim(), [])),
        field("list", el("textarea", { rows: 2, id: "play-line", "aria-describedby": "play-line-help", ...plain }), said.line, said.lineHelp, said.playLine, (given) => this.playLine(given))),
      this.more, el("p", { class: "help", id: "play-help" }, said.help));
    await this.show();
  }

  /** A question of the puzzle. */
  question(name) {
    return this.of.questions.find((q) => q.name === name);
  }

  /** The address of a question about a position, with the flags that it has. */
  path(position, name = this.game.play, more = {}) {
    const q = this.question(name);
    const flags = Object.entries(this.flags).filter(([flag]) => q.flags.some((f) => f.name === flag));
    return address(`puzzles/${this.of.name}/${name}`, { arg: position, ...Object.fromEntries(flags), ...more });
  }

  /** Takes an input now, or when the answer about the position is there that it is for. */
  input(fn) {
    this.queue.push(fn);
    this.drain();
  }

  drain() {
    while (!this.pending && this.queue.length > 0) this.queue.shift()();
  }

  key(event) {
    if (event.target.matches("input[type=text], textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = { u: "undo", r: "redo", h: "hint", p: "program", n: "new" }[event.key];
    const button = does && this.node.querySelector(`[data-do="${does}"]`);
    if (event.key === "Escape") this.input(() => this.choose(undefined));
    else if (button && !button.hidden) button.click();
    else return;
    event.preventDefault();
  }

  /** The game as the address has it. */
  get state() {
    return {
      p: this.of.name, at: this.start, moves: this.line.slice(0, this.made).map((m) => (m.program ? "~" : "") + m.name).join("."),
      reply: this.replies.checked ? "1" : "", hide: this.worth.checked ? "" : "1",
      ...Object.fromEntries(Object.entries(this.flags).map(([name, value]) => [`x.${name}`, value])),
    };
  }

  /** Shows the game of the address, when that is another one than was written there last. */
  async show() {
    const now = read();
    const flags = Object.fromEntries(Object.entries(now).filter(([name]) => name.startsWith("x.")).map(([name, value]) => [name.slice(2), value]));
    const key = keyOf(now, flags);
    if (key === this.written) return;
    clearTimeout(this.noting);
    this.written = key;
    this.queue = [];
    const of = this.puzzles.find((p) => p.name === now.p) || this.puzzles.find((p) => p.name === this.run?.puzzle) || this.puzzles[0];
    this.setPuzzle(of, flags);
    this.replies.checked = Boolean(now.reply) && Boolean(this.game.reply);
    this.worth.checked = !now.hide;
    if (!now.at) return this.newGame(of.name, true);
    return this.begin(now.at, (now.moves || "").split(".").filter(Boolean), false);
  }

  /** Takes another puzzle, and makes the fields of what its games begin with. */
  setPuzzle(of, flags) {
    const same = this.of === of;
    this.of = of;
    this.game = of.game;
    this.flags = {};
    const questions = [this.game.start, this.game.play].map((name) => this.question(name));
    for (const f of questions[1].flags) if (flags[f.name] && f.name !== this.game.reply) this.flags[f.name] = flags[f.name];
    if (same) {
      for (const [name, { input, play }] of this.inputs) if (play) input.value = this.flags[name] || "";
      return;
    }
    this.drawn = { start: undefined, line: [], made: 0, moves: [], parts: [] };
    Object.assign(this, this.drawn);
    for (const place of [this.title, this.head, this.stage, this.side, this.told]) replace(place);
    this.puzzle.value = of.name;
    this.inputs = new Map();
    const first = said.begin[of.name] || text.examples[`${of.name}/${of.game.start}`] || {};
    for (const [i, q] of questions.entries()) {
      for (const [kind, f] of [...q.args.map((a) => ["arg", a]), ...q.flags.map((f) => ["flag", f])]) {
        if (f.name === "seed" || f.name === of.game.reply || (i === 1 && kind === "arg") || this.inputs.has(f.name)) continue;
        const input = f.choices
          ? el("select", {}, ["", ...f.choices.filter((c) => c !== f.default)].map((c) => el("option", { value: c }, c || f.default)))
          : el("input", { type: "text", size: 6, placeholder: f.default || "", autocomplete: "off", spellcheck: "false" });
        input.value = this.flags[f.name] || first[f.name] || "";
        if (i === 1) input.addEventListener("change", () => this.input(() => this.setFlag(f.name, input.value)));
        input.title = f.doc;
        this.inputs.set(f.name, { kind, input, start: i === 0, play: questions[1].flags.some((one) => one.name === f.name),
          label: el("label", {}, words(f.name.toLowerCase()), " ", input) });
      }
    }
    replace(this.fields, [...this.inputs.values()].map((one) => one.label));
    this.replyLabel.hidden = this.buttons.program.hidden = !of.game.reply;
    replace(this.more, (of.game.more || []).map((name) => this.moreOf(name)));
  }

  /** Plays on by other rules, from the same beginning. */
  setFlag(name, value) {
    if (value) this.flags[name] = value;
    else delete this.flags[name];
    this.begin(this.start, []);
  }

  /** Draws a position at random, and begins a game from it. */
  async newGame(name, first = false) {
    if (name !== this.of.name) this.setPuzzle(this.puzzles.find((p) => p.name === name), {});
    const parameters = { arg: [], seed: String(crypto.getRandomValues(new Uint32Array(1))[0]) };
    for (const [flag, { kind, input, start, play }] of this.inputs) {
      const value = input.value.trim();
      if (play && value) this.flags[flag] = value;
      if (start && kind === "arg") parameters.arg.push(value);
      else if (start && value) parameters[flag] = value;
    }
    await this.attempt(async () => {
      const { document } = await get(address(`puzzles/${this.of.name}/${this.game.start}`, parameters));
      return () => this.begin(document.position, [], true, first);
    });
  }

  /** Does what fn returns once it has it. Meanwhile inputs wait; what goes wrong is told, and what was shown stays. */
  async attempt(fn) {
    const turn = (this.turn = {});
    this.pending = true;
    this.answers.stop();
    try {
      const then = await fn();
      if (turn === this.turn) await then();
    } catch (error) {
      if (turn !== this.turn) return;
      this.queue = [];
      Object.assign(this, this.drawn);
      replace(this.told, notice(error));
      this.pending = false;
    }
  }

  /** Begins a game from a position, with moves by name, each of which the answer about the position before must have. */
  begin(at, names, noted = true, replaced = false) {
    return this.attempt(async () => {
      let answer = await once(this.path(at));
      const start = answer.document.position;
      const line = [];
      for (const written of names) {
        const name = written.replace(/^~/, "");
        const row = answer.document.moves.find((m) => m.move === name);
        if (!row) break;
        line.push({ name, position: row.position, worth: worthOf(row), program: written.startsWith("~") });
        answer = await once(this.path(row.position));
      }
      return () => {
        this.start = start;
        // Moves that were undone stay to be redone, as long as the game is the beginning of the same one.
        const same = this.lineOf === this.path(start) && line.every((m, i) => this.line[i]?.position === m.position);
        if (!same) this.line = line;
        this.lineOf = this.path(start);
        this.made = line.length;
        if (noted) this.note(replaced);
        this.draw(answer);
        if (line.length < names.length) replace(this.told, said.unsaid(names[line.length].replace(/^~/, "")));
      };
    });
  }

  get position() {
    return this.made ? this.line[this.made - 1].position : this.start;
  }

  /** Where undo and redo lead: past moves of the program, to where a person is to move. */
  back() {
    let n = this.made - 1;
    while (n > 0 && this.line[n].program) n--;
    return n;
  }

  forth() {
    let n = this.made + 1;
    while (n < this.line.length && this.line[n].program) n++;
    return n;
  }

  /** Goes to the position after so many moves of the line. */
  goTo(made) {
    if (made < 0 || made > this.line.length || made === this.made) return;
    this.made = made;
    this.note();
    this.settle();
  }

  /** Shows the position when its answer is there, with the reply of the program when it is due. */
  settle(due = false) {
    const have = !due && this.answers.known(this.position);
    if (have) return this.draw(have);
    return this.attempt(async () => {
      const answer = await once(this.path(this.position));
      if (!due || answer.moves.over) return () => { if (due) this.note(); this.draw(answer); };
      const replied = await once(this.path(this.position, this.game.play, { [this.game.reply]: "true" }));
      return () => {
        const row = answer.document.moves.find((m) => m.move === replied.document.reply);
        this.push(row, true);
        this.note();
        return this.settle();
      };
    });
  }

  /** Writes the game into the address. */
  note(replaced = false) {
    clearTimeout(this.noting);
    const wait = (this.notedAt || -between) + between - performance.now();
    if (wait > 0 && !replaced) {
      this.noting = setTimeout(() => this.note(), wait);
      return;
    }
    this.notedAt = performance.now();
    const { state } = this;
    this.written = keyOf(state, this.flags);
    go({ run: read().run, view: "play", ...state }, replaced);
    this.node.classList.toggle("hide-worth", !this.worth.checked);
  }

  /** Shows an answer about the position: inputs can go on. */
  draw(answer) {
    const { document, moves, figures } = answer;
    this.node.classList.toggle("hide-worth", !this.worth.checked);
    this.moves = document.moves.map((row, i) => ({ row, name: row.move, presses: moves.presses[i], worth: worthOf(row), best: i < moves.best }));
    this.over = moves.over;
    this.parts = [];
    this.figures = figures.filter((f) => f.board);
    let down = 0;
    for (const [i, figure] of this.figures.entries()) {
      for (const part of figure.parts || []) {
        const cell = figure.board[part.cells.at(-1)]; // of a pile the brick on the ground
        this.parts.push({ ...part, figure: i, row: down + cell.row, column: cell.column, at: this.parts.length });
      }
      down += Math.max(...figure.board.map((c) => c.row)) + 2;
    }
    this.refused = moves.refused || [];
    this.chosen = this.hinted = this.against = undefined;
    replace(this.title, answer.problem?.map((l) => `${l.name}: ${l.text}`).join("; "));
    const verdict = (document.notes || []).join("; ");
    replace(this.head, this.over ? el("strong", {}, verdict) : verdict);
    this.head.classList.toggle("worth", !this.over);
    replace(this.told);
    this.document = document;
    this.drawStage();
    this.drawSide();
    this.origin.value = document.position;
    this.list.value = this.line.slice(0, this.made).map((m) => m.name).join(", ");
    const off = (name, is) => this.buttons[name].setAttribute("aria-disabled", is);
    off("undo", this.made === 0);
    off("restart", this.made === 0);
    off("redo", this.made === this.line.length);
    for (const name of ["hint", "program"]) off(name, this.over);
    const { start, line, made, lineOf, flags } = this;
    this.drawn = { start, line, made, lineOf, flags: { ...flags } };
    this.pending = false;
    this.node.dataset.position = document.position;
    for (const one of this.more.querySelectorAll("[aria-expanded=true]")) this.showMore(one);
    this.drain();
    if (!this.pending && this.document === document) this.answers.ahead(this.moves.slice(0, ahead).map((m) => m.row.position));
  }

  /** Draws the pictures, whose parts are buttons. */
  drawStage() {
    const focused = this.stage.contains(document.activeElement) && Number(document.activeElement.dataset.part);
    const tab = this.parts[Math.min(Number.isInteger(focused) ? focused : this.tab || 0, this.parts.length - 1)];
    this.tab = tab?.at;
    const marked = (part) => {
      const n = this.moves.filter((m) => m.presses.includes(part.name)).length;
      const to = this.pair(part);
      const hint = this.hinted?.includes(part);
      return {
        cells: part.cells, ...asButton(() => this.pressed(part)), tabindex: part === tab ? 0 : -1, "data-part": part.at, "data-name": part.name,
        class: ["part", n && "can", part === this.chosen && "chosen", to && "to", hint && "hint", part === this.against && "against"].filter(Boolean).join(" "),
        "aria-label": to ? said.here(part.title) : said.count(part.title, n), "aria-pressed": String(part === this.chosen),
      };
    };
    replace(this.stage, this.figures.map((figure, i) =>
      picture(figure.board, figure.title, undefined, this.parts.filter((part) => part.figure === i).map(marked))));
    // A cell is as large in every position, as long as there is room.
    for (const drawn of this.stage.children) drawn.setAttribute("width", 1.75 * drawn.viewBox.baseVal.width);
    if (Number.isInteger(focused)) this.stage.querySelector(`[data-part="${tab?.at}"]`)?.focus();
  }

  /** An arrow key moves the focus from a part to the next one. */
  arrow(event) {
    if (!event.key.startsWith("Arrow")) return;
    const next = neighbour({ holes: this.parts }, this.parts[event.target.dataset.part], event.key);
    if (next) this.stage.querySelector(`[data-part="${next.at}"]`).focus();
    event.preventDefault();
  }

  /** The move that a part makes after the chosen one; if there is none, the move that it makes before the chosen one. */
  pair(part) {
    if (!this.chosen || this.chosen === part) return undefined;
    const of = (a, b) => this.moves.find((m) => m.presses.length === 2 && m.presses[0] === a.name && m.presses[1] === b.name);
    return of(this.chosen, part) || of(part, this.chosen);
  }

  /** A part is pressed. When the position is another one by the time, the part of its name there is. */
  pressed(part) {
    this.input(() => {
      const now = this.parts[part.at]?.name === part.name ? this.parts[part.at] : this.parts.find((p) => p.name === part.name);
      if (now) this.press(now);
      else this.tell(said.cannot(part.title));
    });
  }

  press(part) {
    const alone = !this.chosen && this.moves.find((m) => m.presses.length === 1 && m.presses[0] === part.name);
    const move = alone || this.pair(part);
    if (move) return this.make(move);
    const before = this.chosen;
    if (part === before) return this.choose(undefined);
    const refused = before && this.refused.find((r) => [before.name, part.name].every((name) => r.presses.includes(name)));
    if (refused) { // what is chosen stays, for another place
      this.against = this.parts.find((p) => p.name === refused.by);
      this.hinted = undefined;
      this.drawStage();
      return this.tell(refused.why);
    }
    const among = (list) => list.some((one) => one.presses.includes(part.name));
    const can = among(this.moves);
    // A part that makes no move can be chosen, too, where the answer has the reason for each place.
    this.choose(can || among(this.refused) ? part : before);
    if (this.chosen === part && !can) return this.tell(said.cannot(part.title));
    return this.tell(before ? said.noPair(before.title, part.title) : can ? said.chosen(part.title) : said.cannot(part.title));
  }

  tell(what) {
    replace(this.told, what);
  }

  choose(part) {
    this.chosen = part;
    this.hinted = this.against = undefined;
    this.tell("");
    this.drawStage();
    this.drawSide();
  }

  /** Takes a move up into the line. Those that were undone can be redone as long as they are the same. */
  push(row, program = false) {
    if (this.line[this.made]?.position !== row.position) this.line = [...this.line.slice(0, this.made), { name: row.move, position: row.position, worth: worthOf(row), program }];
    this.made++;
    say(said.made(program ? said.replied(row.move) : row.move, this.worth.checked ? worthOf(row) : ""));
  }

  make(move) {
    this.push(move.row);
    const due = this.game.reply && this.replies.checked;
    if (!due) this.note();
    this.settle(due);
  }

  /** Has the program move. */
  reply() {
    if (this.start && !this.over && this.game.reply) this.settle(true);
  }

  hint() {
    const best = this.moves.find((m) => m.best);
    if (!this.start) return undefined;
    if (!best) return this.tell(said.noHint);
    const [first, second] = best.presses;
    const one = this.parts.find((p) => p.name === first);
    this.chosen = this.against = undefined;
    this.hinted = [one, this.parts.find((p) => p.name === second && p !== one)];
    this.drawStage();
    this.drawSide();
    return this.tell(said.hinted(best.name, best.worth));
  }

  /** The moves with their worth, what is known of the position, and the game. */
  drawSide() {
    const focused = this.side.contains(document.activeElement) && document.activeElement.closest("[data-move]")?.dataset.move;
    const had = this.side.contains(document.activeElement);
    const listed = this.moves.filter((m) => !this.chosen || m.presses.includes(this.chosen.name));
    const columns = Object.keys(this.document.moves[0] || {}).filter((name) => !["move", "position"].includes(name));
    const number = (name) => typeof this.document.moves[0][name] === "number" && "number";
    const table = el("table", { class: "moves" }, el("caption", {}, said.moves),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, said.move), columns.map((name) => el("th", { scope: "col", class: "worth" }, words(name))))),
      el("tbody", {}, listed.map((m) => el("tr", { "data-move": m.name, class: m.best ? "best" : "" },
        el("th", { scope: "row" }, el("button", { type: "button", onclick: () => this.input(() => this.makeNamed(m.name)) }, m.name)),
        columns.map((name) => el("td", { class: ["worth", number(name)].filter(Boolean).join(" ") }, shown(String(m.row[name]))))))));
    const facts = Object.entries(this.document).filter(([name, value]) => !apart.includes(name) && typeof value !== "object");
    replace(this.side, listed.length > 0 ? el("div", { class: "scroll moves-list", tabindex: 0, role: "region", "aria-label": said.moves }, table) : el("p", {}, this.chosen ? said.cannot(this.chosen.title) : said.noMoves),
      el("dl", { class: "facts worth" }, facts.map(([name, value]) => [el("dt", {}, words(name)), el("dd", { "data-fact": name }, shown(String(value)))])),
      gameList(this.line.slice(0, this.made).map((m) => said.made(m.program ? said.replied(m.name) : m.name, this.worth.checked ? m.worth : "")),
        (n) => this.input(() => this.goTo(n))));
    if (had) (this.side.querySelector(`[data-move="${CSS.escape(focused || "")}"] button`) || this.side.querySelector(".game [aria-current]")).focus();
  }

  makeNamed(name) {
    const move = this.moves.find((m) => m.name === name);
    if (move) this.make(move);
    else this.tell(said.cannot(name));
  }

  /**
   * Plays moves from the beginning of the game, as they are written: each is the longest name of a move that can be made
   * then. The first one that cannot be made is told, with the reason where the puzzle has a question for it.
   */
  playLine(given) {
    return this.attempt(async () => {
      let rest = given.replace(/\s+/g, " ");
      let at = this.start;
      const names = [];
      let wrong = "";
      for (;;) {
        rest = rest.replace(/^[\s,;.]+/, "");
        if (!rest) break;
        const { document } = await once(this.path(at));
        const row = document.moves.filter((m) => rest.toLowerCase().startsWith(m.move.toLowerCase()) && !/^\w/.test(rest.slice(m.move.length)))
          .sort((a, b) => b.move.length - a.move.length)[0];
        if (!row) {
          const name = /^[^,;]+/.exec(rest)[0].split(this.game.check ? " " : undefined)[0];
          wrong = said.stopped(names.length + 1, name);
          if (this.game.check) {
            const check = await get(this.path([this.start, ...names, name], this.game.check));
            wrong = check.document.verdict;
          }
          break;
        }
        names.push(row.move);
        at = row.position;
        rest = rest.slice(row.move.length);
      }
      return async () => {
        await this.begin(this.start, names);
        this.tell(wrong);
      };
    });
  }

  /** A question about the position that helps to play: its answer opens below, and follows the game. */
  moreOf(name) {
    const place = el("div", { "aria-live": "polite", id: `more-${name}` });
    const button = el("button", { type: "button", "aria-expanded": "false", "aria-controls": place.id, "data-more": name, onclick: () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", open);
      if (open) this.showMore(button);
      else replace(place);
    } }, this.question(name).short);
    return el("div", { class: "more" }, button, place);
  }

  async showMore(button) {
    const place = button.nextSibling;
    const name = button.dataset.more;
    const { position, of } = this;
    try {
      const answer = await once(this.path(position, name));
      if (position !== this.position || of !== this.of) return;
      const frames = stepsOf(of.name, name, answer);
      const parts = (figure) => figure.parts?.map((part) => ({
        cells: part.cells, ...asButton(() => this.input(() => this.begin(part.name, []))), tabindex: 0,
        class: "part can", "aria-label": part.title, "data-name": part.name,
      }));
      replace(place, frames.length > 1 ? new Steps(frames).node : answer.figures.map((figure) => figureNode(figure, parts(figure))),
      el("pre", { tabindex: 0, role: "region", "aria-label": button.textContent }, answer.text));
    } catch (error) {
      replace(place, notice(error));
    }
  }

  close() {
    clearTimeout(this.noting);
    this.turn = {};
    this.answers.stop();
  }
}
