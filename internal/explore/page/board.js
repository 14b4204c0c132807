import { el, notice, say } from "./dom.js";
import { Board, play, positions } from "./game.js";
import { ask } from "./net.js";
import { below, brief, grouped, share } from "./number.js";
import { go, read } from "./route.js";
import { PlayBoard } from "./boardsvg.js";
import { factsOf, jumpTable, gameList } from "./boardparts.js";
import { text } from "./text.js";

/** The board view: a game on the board of a run, which is a list of jumps in the address. */
export class BoardView {
  constructor(run) {
    this.run = run.id;
    this.redone = []; // jumps that were undone, the next one last
    this.node = el("div", { class: "play" }, el("p", {}, text.loading));
  }

  async open() {
    const [first, last] = await Promise.all(["start", "goal"].map((arg) => ask(this.run, "query", { arg })));
    this.board = new Board(first.figures[0].board);
    this.start = first.document.position;
    this.goal = last.document.position;
    this.svg = new PlayBoard(this.board, {
      press: (hole) => this.press(hole), drop: (from, to) => this.drop(from, to), letGo: () => this.choose(undefined),
    });
    this.head = el("p", { class: "verdict", id: "verdict" });
    this.buttons = this.makeButtons();
    this.side = el("div", { class: "side" });
    this.node.replaceChildren(
      el("section", { class: "stage", "aria-label": text.boardName, onkeydown: (e) => this.key(e) }, this.head, this.svg.node,
        el("div", { class: "buttons" }, Object.values(this.buttons), this.makeSpeed()),
        el("p", { id: "board-help", class: "help" }, text.boardHelp)),
      this.side);
    await this.show();
  }

  makeButtons() {
    const make = (name, fn, key) =>
      el("button", { type: "button", onclick: fn, "aria-keyshortcuts": key, "data-do": name }, text[name]);
    return {
      undo: make("undo", () => this.undo(), "u"), redo: make("redo", () => this.redo(), "r"),
      restart: make("restart", () => this.set([])), hint: make("hint", () => this.hint(), "h"),
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
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.buttons[does].click();
  }

  /** Shows the game of the address. */
  async show() {
    const game = (read().game || "").split(".").filter(Boolean);
    const list = positions(this.board, this.start, game);
    this.game = game.slice(0, list.length - 1);
    this.positions = list;
    this.position = list[list.length - 1];
    const asked = this.position;
    this.settled = false; // until it is known what can be played from here
    let answer;
    if (this.asking) this.asking.abort(); // a position that was left may take seconds
    this.asking = new AbortController();
    try {
      answer = await ask(this.run, "query", { arg: asked }, this.asking.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.side.replaceChildren(notice(error));
      return;
    }
    if (asked !== this.position) return; // the game went on meanwhile
    this.take(answer.document);
  }

  /** Takes what the server says of the position. */
  take(said) {
    this.said = said;
    this.chosen = this.hinted = undefined;
    const here = said.solutions || "0";
    // A count that is not known is the word "unknown".
    const digits = (text) => (/^\d+$/.test(text) ? text : "0");
    this.jumps = said.next.map((next) => ({
      jump: this.board.jump(next.jump), name: next.jump, ways: digits(next.ways), dead: next.ways === "0",
      solutions: /^\d+$/.test(next.solutions) ? grouped(next.solutions) : next.solutions, exact: next.solutions,
      share: share(digits(next.ways), said.ways || "0"), brief: brief(digits(next.ways), said.ways || "0"),
    }));
    this.dead = said.winnable === "no";
    this.settled = true;
    this.draw();
    const focused = document.activeElement;
    const part = this.side.contains(focused) && (focused.closest("table") ? ".jumps button" : ".game [aria-current]");
    this.side.replaceChildren(
      factsOf(said),
      jumpTable(this.jumps, (j) => this.make(j.name), (j) => this.point(j)),
      gameList(this.game, (n) => this.set(this.game.slice(0, n), false)));
    if (part) (this.side.querySelector(part) || this.side.querySelector("button")).focus();
    this.judge(here);
    this.buttons.undo.disabled = this.game.length === 0;
    this.buttons.redo.disabled = this.redone.length === 0;
    this.buttons.restart.disabled = this.game.length === 0;
    this.buttons.hint.disabled = this.buttons.random.disabled = this.dead || this.jumps.length === 0;
    if (this.playing && this.buttons.random.disabled) this.stop();
    if (performance.getEntriesByName("shown").length === 0) performance.mark("shown");
    this.node.dataset.position = said.position;
    this.node.dataset.solutions = here;
  }

  /** Says whether the position can be won, and if not, why. */
  async judge() {
    const at = this.position;
    if (at === this.goal) {
      this.head.replaceChildren(text.solved);
    } else if (this.dead) {
      const why = (this.said.notes || []).filter((n) => n.startsWith("not winnable"));
      this.head.replaceChildren(el("strong", {}, text.lost), " ", why.join(" "));
      const good = await this.lastGood(this.positions);
      if (good === undefined || at !== this.position) return;
      this.head.append(" ", text.lostAfter(good), " ",
        el("button", { type: "button", onclick: () => this.set(this.game.slice(0, good)) }, text.goBack));
    } else if (this.said.winnable !== "yes") {
      this.head.replaceChildren(text.unknown);
    } else {
      this.head.replaceChildren(el("strong", { class: "count" }, grouped(this.said.solutions)), " ", text.solutions);
    }
  }

  /** After how many jumps of a game the last position was that can be won; undefined when the game has gone on meanwhile. */
  async lastGood(positions) {
    for (let n = positions.length - 2; n > 0; n--) {
      if (positions !== this.positions) return undefined;
      const answer = await ask(this.run, "query", { arg: positions[n] });
      if (answer.document.winnable === "yes") return n;
    }
    return 0;
  }

  draw() {
    this.svg.show(this.position, this.jumps, this.chosen, this.hinted);
  }

  point(j) {
    this.hinted = j && j.jump;
    this.draw();
  }

  choose(hole) {
    this.chosen = hole;
    this.draw();
  }

  /** A hole is pressed: a peg is taken up or laid back, or jumps here. */
  press(hole) {
    if (!this.settled) return undefined;
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
    if (!to) return this.choose(from);
    const jump = this.jumps.find((j) => j.jump.from === from && j.jump.to === to);
    if (jump) return this.make(jump.name);
    return this.choose(undefined);
  }

  /** Plays a jump. */
  make(name, redoing = false) {
    const jump = this.settled && this.jumps.find((j) => j.name === name);
    if (!jump || !play(this.position, jump.jump)) return;
    if (!redoing) this.redone = [];
    say(text.played(name, jump.solutions, jump.dead));
    this.set([...this.game, name], redoing);
  }

  set(game, keep = true) {
    if (!keep) this.redone = [];
    go({ ...read(), game: game.join(".") });
  }

  undo() {
    if (this.game.length === 0) return;
    this.redone.push(this.game[this.game.length - 1]);
    this.set(this.game.slice(0, -1));
  }

  redo() {
    const name = this.redone.pop();
    if (name) this.make(name, true);
  }

  hint() {
    const best = this.jumps.reduce((a, b) => (a && BigInt(a.ways) >= BigInt(b.ways) ? a : b), undefined);
    if (!best || best.dead) return say(text.noHint);
    this.point(best);
    return say(text.hinted(best.name, best.solutions, best.share));
  }

  /** Plays on at random: a jump is as likely as its share of the solutions, so every solution is equally likely. */
  random() {
    this.playing = true;
    this.buttons.random.textContent = text.stop;
    const step = () => {
      const all = this.jumps.reduce((sum, j) => sum + BigInt(j.ways), 0n);
      if (!this.playing) return undefined;
      if (!this.settled) return this.later(step, 20);
      if (all === 0n) return this.stop();
      let rest = below(all);
      for (const j of this.jumps) {
        const ways = BigInt(j.ways);
        if (rest < ways) {
          this.make(j.name);
          break;
        }
        rest -= ways;
      }
      return this.later(step, 1600 / this.speed ** 1.5);
    };
    step();
  }

  later(fn, milliseconds) {
    this.timer = setTimeout(fn, milliseconds);
  }

  stop() {
    this.playing = false;
    clearTimeout(this.timer);
    this.buttons.random.textContent = text.random;
    this.buttons.random.disabled = this.dead || this.jumps.length === 0;
  }

  close() {
    this.stop();
  }
}
