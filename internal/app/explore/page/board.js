import { Answers } from "./answers.js";
import { factsOf, gameList, jumpTable } from "./boardparts.js";
import { PlayBoard } from "./boardsvg.js";
import { BoardTools } from "./boardtools.js";
import { el, notice, replace, say } from "./dom.js";
import { Board } from "./game.js";
import { about, ask } from "./net.js";
import { below, brief, grouped, largestFirst, share } from "./number.js";
import { between, go, read } from "./route.js";
import { text } from "./text.js";

/**
 * How long an entry of the history waits at least, in milliseconds. A browser takes some 10 ms for one, or 100 when it is
 * busy, so a move is shown first.
 */
const soon = 30;

/**
 * The board view: a game on the board of a run. The page knows the rules, so a jump is drawn at once, and what the server
 * says of the position is shown when it comes. The game stands in the address, soon afterwards.
 */
export class BoardView {
  constructor(run) {
    this.run = run;
    this.answers = new Answers((position) => about(run.id, "query", { arg: position }));
    this.line = []; // jumps that were played, those that were undone included
    this.made = 0; // how many of them lead to what is shown
    this.notedAt = 0; // when the game was written into the address last
    this.node = el("div", { class: "play", onkeydown: (e) => this.key(e) }, el("p", {}, text.loading));
  }

  async open() {
    const [first, last] = await Promise.all(["start", "goal"].map((arg) => ask(this.run.id, "query", { arg })));
    for (const answer of [first, last]) this.answers.give(answer);
    this.start = first.document.position;
    this.goal = last.document.position;
    this.board = new Board(first.figures[0].board, this.start, first.document.rule_jumps);
    this.svg = new PlayBoard(this.board, this.goal, {
      press: (hole) => this.press(hole), drop: (from, to) => this.drop(from, to), letGo: () => this.choose(undefined),
    });
    this.head = el("p", { class: "verdict", id: "verdict" });
    this.why = el("p", { class: "why" });
    this.fault = el("div");
    this.side = el("div", { class: "side" });
    this.buttons = this.makeButtons();
    this.tools = new BoardTools(this);
    this.node.replaceChildren(
      el("section", { class: "stage", "aria-label": text.boardName }, this.makeTitle(), this.fault, this.head, this.svg.node,
        el("div", { class: "buttons" }, Object.values(this.buttons), this.makeSpeed())),
      this.side, this.why, this.tools.node, el("p", { id: "board-help", class: "help" }, text.boardHelp));
    this.show();
  }

  makeTitle() {
    const label = (hole) => hole.label;
    const pegs = this.board.pegs(this.start).map(label);
    const empty = this.board.holes.map(label).filter((name) => !pegs.includes(name));
    const name = !this.run.board || this.run.board.includes(" ") ? this.run.title : this.run.board;
    return el("h2", { class: "problem-title" },
      text.problem(name, text.startOf(empty, pegs), text.goalOf(this.board.pegs(this.goal).map(label))));
  }

  makeButtons() {
    const make = (name, fn, key) =>
      el("button", { type: "button", onclick: fn, "aria-keyshortcuts": key, "data-do": name }, text[name]);
    return {
      undo: make("undo", () => this.goTo(this.made - 1), "u"), redo: make("redo", () => this.goTo(this.made + 1), "r"),
      restart: make("restart", () => (this.made || this.origin === this.start ? this.goTo(0) : this.setUp(this.start))), hint: make("hint", () => this.hint(), "h"),
      random: make("random", () => (this.playing ? this.stop() : this.random()), "p"),
    };
  }

  makeSpeed() {
    const slider = el("input", { type: "range", min: 1, max: 10, value: 5, oninput: () => { this.speed = Number(slider.value); } });
    this.speed = 5;
    return el("label", { class: "speed" }, text.speed, slider);
  }

  key(event) {
    const does = { u: "undo", r: "redo", h: "hint", p: "random" }[event.key];
    if (!does || !this.board || event.target.matches("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.buttons[does].click();
  }

  get game() {
    return this.line.slice(0, this.made);
  }

  /** Shows the game of the address, when that is another one than was written there last. */
  show() {
    const { at = "", game: there = "" } = read();
    if (`${at} ${there}` === this.written) return;
    clearTimeout(this.noting);
    this.noting = undefined;
    this.written = `${at} ${there}`;
    this.stop(false);
    const named = at ? this.board.ofHex(at) : this.start;
    const origin = named || this.start;
    const names = there.split(".").filter(Boolean);
    const game = names.slice(0, this.board.positions(origin, names).length - 1);
    if (this.origin !== origin || game.some((name, i) => name !== this.line[i])) this.line = game;
    this.origin = origin;
    this.draw(game.length);
    const why = !named ? text.noPosition(at) : game.length < names.length &&
      text.noJump(names[game.length], game.length + 1, names.length, this.board.whyNot(this.position, names[game.length]));
    replace(this.fault, why && notice(new Error(why)));
  }

  /** Begins anew from a position. */
  setUp(position) {
    this.begin(position, []);
  }

  /** Shows a game from the start. */
  setGame(jumps) {
    this.begin(this.start, jumps);
  }

  begin(origin, line) {
    this.stop();
    this.origin = origin;
    this.line = line;
    this.made = line.length;
    this.note(false);
    this.draw(this.made);
  }

  /** The position from which the game begins, as the address has it. */
  get at() {
    return this.origin === this.start ? "" : this.board.hex(this.origin);
  }

  /** Writes the game into the address, soon: a new entry of the history, or in place of the last. */
  note(replace) {
    this.fault.replaceChildren(); // the address that had it is left
    if (this.noting) return; // what is to be written then is the game of then
    const wait = this.notedAt + between - performance.now();
    if (wait > 0 && replace && this.playing) return; // the next jump is
    this.noting = setTimeout(() => {
      this.noting = undefined;
      this.notedAt = performance.now();
      const [at, game] = [this.at, this.game.join(".")];
      this.written = `${at} ${game}`;
      go({ ...read(), at, game }, replace);
    }, Math.max(soon, wait));
  }

  /** Shows the position after so many jumps of the line, with what is known of it, and asks for the rest. */
  draw(made, promised = undefined) {
    this.made = made;
    this.positions = this.board.positions(this.origin, this.game);
    this.position = this.positions[made];
    this.last = this.board.jumps.get(this.line[made - 1]);
    this.chosen = this.hinted = undefined;
    this.hintWanted = false;
    this.why.replaceChildren();
    this.tools.tell("");
    this.node.dataset.position = this.position;
    const have = this.answers.known(this.position);
    this.take(have?.document, promised);
    if (have) this.lookAhead();
    else this.inquire(this.position);
  }

  async inquire(position) {
    try {
      const answer = await this.answers.of(position);
      if (!answer || position !== this.position) return; // the game went on meanwhile
      this.take(answer.document);
      this.lookAhead();
    } catch (error) {
      if (position === this.position) this.why.replaceChildren(notice(error));
    }
  }

  /** Asks for the positions that can come next, those with most solutions first. */
  lookAhead() {
    const order = this.jumps.toSorted((a, b) => largestFirst(a.ways, b.ways));
    const before = this.positions[this.made - 1];
    this.answers.ahead([...order.map((j) => this.board.play(this.position, j.jump)), before].filter(Boolean));
  }

  /**
   * Takes what the server says of the position; said is undefined until it has said something. promised are the ways on
   * that were told with the jump.
   */
  take(said, promised = undefined) {
    this.said = said;
    const told = new Map((said?.next || []).map((next) => [next.jump, next]));
    const digits = (text) => (/^\d+$/.test(text) ? text : "0"); // a count that is not known is the word "unknown"
    const whole = said?.ways || "0";
    this.jumps = this.board.moves(this.position).map((jump) => {
      const next = told.get(jump.name);
      if (!next) return { jump, name: jump.name, brief: "", share: "" };
      const ways = digits(next.ways);
      return {
        jump, name: jump.name, told: next.ways, ways, whole, dead: next.ways === "0", exact: next.solutions,
        solutions: /^\d+$/.test(next.solutions) ? grouped(next.solutions) : next.solutions,
        share: share(ways, whole), brief: brief(ways, whole),
      };
    });
    this.settled = Boolean(said);
    this.drawBoard();
    this.drawSide();
    this.judge(promised);
    const off = (button, is) => button.setAttribute("aria-disabled", is); // one that has the focus keeps it
    off(this.buttons.undo, this.made === 0);
    off(this.buttons.restart, this.made === 0 && this.origin === this.start);
    off(this.buttons.redo, this.made === this.line.length);
    const stuck = this.stuck();
    off(this.buttons.hint, stuck);
    off(this.buttons.random, stuck);
    if (this.playing && stuck) this.stop();
    if (!said) return;
    if (this.hintWanted) this.hint();
    if (performance.getEntriesByName("shown").length === 0) performance.mark("shown");
    this.node.dataset.solutions = said.solutions || "0";
    this.node.dataset.settled = this.position;
  }

  /** Whether there is nothing to play on for. */
  stuck() {
    return this.jumps.length === 0 || this.said?.winnable === "no";
  }

  drawSide() {
    const focused = this.side.contains(document.activeElement) && document.activeElement;
    const jump = focused && focused.closest("[data-jump]")?.dataset.jump;
    this.side.replaceChildren(
      jumpTable(this.jumps, (j) => this.make(j.name), (j) => this.point(j)),
      factsOf(this.said),
      gameList(this.game, (n) => this.goTo(n)));
    if (!focused) return;
    const again = focused.closest(".game") ? ".game [aria-current]" : jump && `[data-jump="${jump}"] button`;
    (again && this.side.querySelector(again) || this.side.querySelector(".jumps button") || this.buttons.undo).focus();
  }

  /** Says how many ways go on from the position, and if none does, why. */
  judge(promised) {
    const { said } = this;
    const ways = said ? said.ways : /^\d+$/.test(promised) && promised;
    const dead = said ? said.winnable === "no" : promised === "0";
    if (this.position === this.goal) this.head.replaceChildren(text.solved);
    else if (dead) this.head.replaceChildren(el("strong", {}, text.lost));
    else if (said && said.winnable !== "yes") this.head.replaceChildren(text.unknown);
    else this.head.replaceChildren(el("strong", { class: "count" }, ways ? grouped(ways) : text.asked), ` ${text.waysOn}`);
    this.head.append(el("span", { class: "passing" }, said?.reachable === "no" ? text.unreachable : said?.solutions && said.all_solutions && text.passHere(grouped(said.solutions), share(said.solutions, said.all_solutions))));
    if (said && dead && this.position !== this.goal) this.explain();
    if (said && this.position === this.goal && this.origin === this.start && this.made > 0) this.number();
  }

  /** Says which solution is shown. */
  async number() {
    const said = await this.tools.numbered().catch((error) => error.message);
    if (said) this.why.replaceChildren(said);
  }

  /** Says why no solution goes on from a position, and until when one did. */
  async explain() {
    const { positions } = this;
    this.why.replaceChildren((this.said.notes || []).filter((n) => n.startsWith("not winnable")).join(" "));
    const good = await this.lastGood(positions);
    if (good === undefined || positions !== this.positions || positions.length === 1) return;
    this.why.append(" ", text.lostAfter(good), " ",
      el("button", { type: "button", onclick: () => { this.goTo(good); this.svg.focus(); } }, text.goBack));
  }

  /** After how many jumps of a game the last position was that can be won; undefined when the game has gone on meanwhile. */
  async lastGood(positions) {
    for (let n = positions.length - 2; n > 0; n--) {
      if (positions !== this.positions) return undefined;
      const answer = await ask(this.run.id, "query", { arg: positions[n] });
      if (answer.document.winnable === "yes") return n;
    }
    return 0;
  }

  drawBoard() {
    this.svg.show(this.position, this.jumps, { chosen: this.chosen, hint: this.hinted, last: this.last });
  }

  point(j) {
    this.hinted = j && j.jump;
    this.drawBoard();
  }

  choose(hole) {
    this.chosen = hole;
    this.drawBoard();
  }

  /** A hole is pressed: a peg is taken up or laid back, or jumps here. */
  press(hole) {
    this.stop();
    if (this.editing) {
      this.setUp(this.board.toggle(this.position, hole));
      return say(text.hole(hole.label, this.board.has(this.position, hole)));
    }
    const to = this.chosen && this.jumps.find((j) => j.jump.from === this.chosen && j.jump.to === hole);
    if (to) return this.make(to.name);
    const from = this.jumps.filter((j) => j.jump.from === hole);
    this.choose(from.length && this.chosen !== hole ? hole : undefined);
    if (from.length) say(text.taken(hole.label, from.map((j) => j.jump.to.label)));
    else say(text.cannot(hole.label));
    return undefined;
  }

  /** A peg is drawn away from its hole, or let go over another. */
  drop(from, to) {
    this.stop();
    if (this.editing) return undefined;
    if (!to) return this.choose(from);
    const jump = this.jumps.find((j) => j.jump.from === from && j.jump.to === to);
    if (jump) return this.make(jump.name);
    return this.choose(undefined);
  }

  /** Plays a jump. Those that were undone can be redone as long as they are the same. */
  make(name, byHand = true) {
    const j = this.jumps.find((one) => one.name === name);
    if (!j) return;
    if (byHand) this.stop();
    if (this.line[this.made] !== name) this.line = [...this.game, name];
    say(text.played(name, j.solutions, j.dead));
    this.made++;
    this.note(!byHand && this.entered);
    this.entered = true;
    this.draw(this.made, j.told);
  }

  /** Goes to the position after so many jumps of the line. */
  goTo(made) {
    this.stop();
    if (made < 0 || made > this.line.length || made === this.made) return;
    this.made = made;
    this.note(false);
    this.draw(made);
  }

  hint() {
    this.stop();
    if (!this.settled) {
      this.hintWanted = true;
      return undefined;
    }
    this.hintWanted = false;
    const best = this.jumps.reduce((a, b) => (a && BigInt(a.ways) >= BigInt(b.ways) ? a : b), undefined);
    if (!best || best.dead) return say(text.noHint);
    this.point(best);
    return say(text.hinted(best.name, best.solutions, best.share));
  }

  /**
   * Plays on at random: a jump is as likely as its share of the solutions, so every solution is equally likely. All its
   * jumps are one entry of the history.
   */
  random() {
    if (this.stuck()) return;
    this.playing = true;
    this.entered = false;
    this.buttons.random.textContent = text.stop;
    this.step();
  }

  step() {
    if (!this.settled) return this.later(20);
    const all = this.jumps.reduce((sum, j) => sum + BigInt(j.ways), 0n);
    if (all === 0n) return this.stop();
    let rest = below(all);
    const drawn = this.jumps.find((j) => (rest -= BigInt(j.ways)) < 0n);
    this.make(drawn.name, false);
    if (this.playing) this.later(1600 / this.speed ** 1.5);
    return undefined;
  }

  later(milliseconds) {
    this.timer = setTimeout(() => this.step(), milliseconds);
  }

  /** Ends the playing of a solution. The game as it is then takes the place of the entry that was made for it. */
  stop(noted = true) {
    if (!this.playing) return;
    this.playing = false;
    clearTimeout(this.timer);
    this.buttons.random.textContent = text.random;
    if (noted) this.note(true);
  }

  close() {
    this.stop(false);
    clearTimeout(this.noting);
    this.answers.stop();
  }
}
