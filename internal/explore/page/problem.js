import { el, notice, say } from "./dom.js";
import { address, get, post } from "./net.js";
import { picture } from "./picture.js";
import { go, read } from "./route.js";
import { text } from "./text.js";

const hex = (n) => `0x${n.toString(16)}`;

/** Start and goal of a small run: an empty hole, and a last peg to which a game leads from it. */
export class ProblemView {
  constructor() {
    this.node = el("section", { class: "problem" }, el("p", {}, text.loading));
    this.verdicts = new Map(); // by board, start and goal
  }

  async open() {
    const boards = await get("problems");
    this.board = el("select", { onchange: () => go({ ...read(), of: this.board.value, start: "" }, true) },
      boards.map((name) => el("option", { value: name }, name)));
    this.starts = el("figure");
    this.goals = el("figure");
    this.exact = el("p", { class: "exact", "aria-live": "polite" });
    this.node.replaceChildren(el("p", {}, text.problemHelp), el("label", {}, text.boardName, " ", this.board),
      el("div", { class: "pair" }, this.starts, this.goals), this.exact);
    this.boards = boards;
    await this.show();
  }

  /** The cells of a board, from any question about it. */
  async cells(board) {
    const said = await this.feasible(board, 3n, 1n);
    return said.figures.find((f) => f.name === "start").board;
  }

  feasible(board, start, goal) {
    return get(address("puzzles/peg/feasible", { arg: [hex(start), hex(goal)], board }));
  }

  async show() {
    const now = read();
    const board = this.boards.includes(now.of) ? now.of : this.boards[0];
    this.board.value = board;
    if (this.shown !== board) {
      this.holes = await this.cells(board);
      this.shown = board;
    }
    this.full = (1n << BigInt(this.holes.length)) - 1n;
    const start = /^\d+$/.test(now.start || "") && Number(now.start) < this.holes.length ? Number(now.start) : undefined;
    this.draw(this.starts, text.problemStart, (cell, i) => ({
      fill: i === start ? "" : "accent", name: cell.detail, press: () => go({ ...read(), start: i }, true), on: i === start,
    }));
    this.goals.replaceChildren();
    this.exact.textContent = "";
    this.of = `${board} ${start}`;
    if (start !== undefined) await this.decide(board, start, this.of);
  }

  /** Decides every goal, one after the other. */
  async decide(board, start, mine) {
    const from = this.full & ~(1n << BigInt(start));
    const draw = () => this.draw(this.goals, text.problemGoal, (cell, i) => {
      const verdict = this.verdicts.get(`${mine} ${i}`);
      const kind = verdict ? verdict.verdict : "unknown";
      return {
        fill: { feasible: "good", infeasible: "faint" }[kind] || "", name: `${cell.detail}: ${text.verdicts[kind]}`,
        label: { feasible: "✓" }[kind] || (verdict ? "" : "…"),
        press: () => (kind === "feasible" ? this.choose(board, from, 1n << BigInt(i)) : this.tell(cell, verdict)),
      };
    });
    draw();
    for (let i = 0; i < this.holes.length; i++) {
      const key = `${mine} ${i}`;
      if (!this.verdicts.has(key)) {
        const said = await this.feasible(board, from, 1n << BigInt(i));
        this.verdicts.set(key, said.document);
      }
      if (this.of !== mine || !this.node.isConnected) return;
    }
    draw();
    say(text.decided);
  }

  tell(cell, verdict) {
    this.exact.textContent = verdict ? `${cell.detail}: ${text.verdicts[verdict.verdict]} (${verdict.criterion || "?"})` : "";
  }

  async choose(board, start, goal) {
    try {
      const run = await post(address("problems", { board, start: hex(start), goal: hex(goal) }));
      this.onrun(run);
      go({ run: run.id, view: "board" });
    } catch (error) {
      this.exact.replaceChildren(notice(error));
    }
  }

  /** Draws a board whose holes can be pressed. */
  draw(place, title, look) {
    const looks = this.holes.map(look);
    const cells = this.holes.map((cell, i) => ({ ...cell, fill: looks[i].fill, label: looks[i].label, detail: looks[i].name }));
    const focused = place.contains(document.activeElement) && document.activeElement.dataset.number;
    const drawn = picture(cells, title, (_, i) => ({
      role: "button", tabindex: 0, "data-number": i, "aria-label": looks[i].name, "aria-pressed": looks[i].on,
      onclick: looks[i].press,
      onkeydown: (e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        looks[i].press();
      },
    }));
    place.replaceChildren(el("figcaption", {}, title), drawn);
    if (focused) drawn.querySelector(`[data-number="${focused}"]`).focus();
  }
}
