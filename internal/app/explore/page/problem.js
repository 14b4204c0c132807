import { asButton, el, notice, say } from "./dom.js";
import { barCell } from "./boardparts.js";
import { address, ask, boardFlags, get, post } from "./net.js";
import { grouped, inHole, largestFirst } from "./number.js";
import { picture } from "./picture.js";
import { go, read } from "./route.js";
import { text } from "./text.js";
import { Progress } from "./waiting.js";

/**
 * Start and goal of a run: an empty hole, and a last peg to which a game leads from it. Which pairs have solutions, and
 * how many, is known from a run of all pairs of the board; without one the criteria decide whether there are any.
 */
export class ProblemView {
  constructor(runs) {
    this.runs = runs;
    this.node = el("section", { class: "problem" }, el("p", {}, text.loading));
    this.verdicts = new Map(); // by board, start and goal
  }

  async open() {
    this.small = await get("problems");
    this.board = el("select", { onchange: () => go({ ...read(), of: this.board.value, start: "" }, true) });
    this.starts = el("figure");
    this.goals = el("figure");
    this.exact = el("p", { class: "exact", "aria-live": "polite" });
    this.about = el("p", { class: "help" });
    this.progress = new Progress((refused) => this.exact.replaceChildren(refused));
    // It is shown when what stands above it has its text: what moves under the pointer gets no click.
    this.count = el("button", { type: "button", "data-do": "pairs", hidden: true, onclick: () => this.countPairs() }, text.countPairs);
    const { said, bar, cancel } = this.progress;
    this.node.replaceChildren(el("p", {}, text.problemHelp), el("label", {}, text.boardName, " ", this.board),
      this.about, said, bar, this.count, cancel, el("div", { class: "pair" }, this.starts, this.goals), this.exact);
    await this.show();
  }

  /**
   * The boards: those that are small, and those of runs that are played or have counted all pairs. A board is its name,
   * or the lattice, the drawing and the rule of one that a config draws, which is shown by the title of its run.
   */
  boards() {
    const list = new Map(this.small.map((name) => [name, name]));
    for (const r of this.runs.values()) {
      const counted = r.pairs && r.status.state === "complete";
      if (!r.board || list.has(r.board) || !(r.ways || counted)) continue;
      list.set(r.board, r.board.includes(" ") ? text.drawn(r.title) : r.board);
    }
    return list;
  }

  /** The run of all pairs of a board, the complete one if there is one. */
  pairsRun(board) {
    const list = [...this.runs.values()].filter((r) => r.pairs && r.board === board);
    return list.find((r) => r.status.state === "complete" && !r.away) || list.find((r) => r.small);
  }

  update(run) {
    if (this.shown && run.pairs && run.board === this.shown) this.drawSource(this.pairsRun(this.shown));
  }

  /** Says where the numbers come from, and how far their run is. */
  drawSource(run) {
    const state = run && run.status.state;
    this.progress.show(run, state === "complete" ? text.pairsCounted(run.title, run.id) : text.pairsDecided);
    this.count.hidden = state === "running" || state === "complete";
  }

  /** Has a problem offered as a run, and says what is refused. fn takes the run. */
  async offer(problem, fn) {
    try {
      const run = await post(address("problems", problem));
      this.runs.set(run.id, run);
      await fn(run);
    } catch (error) {
      this.exact.replaceChildren(notice(error));
    }
  }

  countPairs() {
    return this.offer({ board: this.board.value }, (run) => post(`runs/${run.id}/begin`));
  }

  /** Asks for the cells of a board, by any question about it, and returns what takes them. */
  async cells(board) {
    const said = await this.feasible(board, ["0x3", "0x1"]);
    return () => {
      this.tellBoard(said);
      this.holes = said.figures.find((f) => f.name === "start").board;
    };
  }

  feasible(board, positions) {
    return get(address("puzzles/peg/feasible", { arg: positions, ...boardFlags(board) }));
  }

  /** A start with one empty hole and a goal of one peg, as numbers: bit i is hole i. */
  positions(start, goal) {
    const peg = (hole) => 1n << BigInt(hole);
    return [peg(this.holes.length) - 1n - peg(start), peg(goal)].map((n) => `0x${n.toString(16)}`);
  }

  async show() {
    const now = read();
    const turn = this.turn = (this.turn || 0) + 1; // the address may change while answers are awaited
    const boards = this.boards();
    const board = boards.has(now.of) ? now.of : [...boards.keys()][0];
    if (!board) return this.node.replaceChildren(el("p", {}, text.noBoards));
    const has = [...boards.keys()].join();
    if (this.board.dataset.has !== has) {
      this.board.dataset.has = has;
      this.board.replaceChildren(...[...boards].map(([key, name]) => el("option", { value: key }, name)));
    }
    this.board.value = board;
    const run = this.pairsRun(board);
    const counted = run && run.status.state === "complete";
    if (this.shown !== board || (counted && this.counted !== run.id)) {
      this.counts = undefined;
      const take = counted ? await this.pairs(run) : await this.cells(board);
      if (turn !== this.turn) return undefined;
      take();
      this.counted = counted && run.id;
      this.shown = board;
    }
    this.drawSource(run);
    const start = /^\d+$/.test(now.start || "") && Number(now.start) < this.holes.length ? Number(now.start) : undefined;
    this.draw(this.starts, text.problemStart, (cell, i) => ({
      on: i === start, press: () => go({ ...read(), start: i }, true),
      ...(this.counts ? this.reach(cell, i) : { name: cell.detail, fill: "accent" }), ...(i === start && { fill: "" }),
    }));
    this.node.dataset.of = board;
    this.goals.replaceChildren();
    this.exact.textContent = "";
    if (start === undefined) return undefined;
    if (this.counts) return this.showCounts(board, start);
    return this.decide(board, start, turn);
  }

  /** Asks for the numbers of a run of all pairs, and returns what takes them. */
  async pairs(run) {
    const said = await ask(run.id, "pairs");
    return () => this.takePairs(said);
  }

  takePairs(said) {
    this.tellBoard(said);
    this.holes = said.figures[0].board.map((cell) => ({ ...cell, label: "", fill: "", shade: 0 }));
    // Pairs have holes by row and column; on the triangular lattice a column goes down to the left.
    const slant = this.holes.some((cell) => !Number.isInteger(cell.column - this.holes[0].column)) ? 0.5 : 0;
    const columns = this.holes.map((cell) => cell.column + slant * cell.row);
    const number = new Map(this.holes.map((cell, i) => [`r${cell.row}c${columns[i] - Math.min(...columns)}`, i]));
    for (const [name, i] of number) this.holes[i].name = name;
    this.counts = new Map(said.document.pairs.map((p) => [`${number.get(p.start)} ${number.get(p.goal)}`, String(p.solutions)]));
  }

  /** Says how the board was understood. */
  tellBoard(said) {
    this.about.textContent = (said.problem || []).filter((l) => l.name === "board").map((l) => l.text).join();
  }

  /** The number of solutions of a pair. */
  solutions(start, goal) {
    return this.counts.get(`${start} ${goal}`) || "0";
  }

  /** How many goals a game leads to from an empty hole. */
  reach(cell, start) {
    const n = this.holes.filter((_, goal) => this.solutions(start, goal) !== "0").length;
    return { name: text.goals(cell.detail, n), fill: n ? "accent" : "faint", label: n ? String(n) : "", title: text.goals(cell.detail, n) };
  }

  /** Shows to which goals how many solutions lead. */
  showCounts(board, start) {
    this.draw(this.goals, text.problemGoal, (cell, i) => {
      const n = this.solutions(start, i);
      const title = n === "0" ? text.noGame(cell.detail) : text.goalCount(cell.detail, grouped(n));
      return {
        fill: n === "0" ? "faint" : "good", label: n === "0" ? "" : inHole(n), name: title, title, count: n,
        press: () => (n === "0" ? this.point(title) : this.choose(board, start, i)),
      };
    });
    this.goals.append(el("p", { class: "help" }, text.inHole), this.goalTable(board, start));
  }

  /** The goals with their numbers, most solutions first. */
  goalTable(board, start) {
    const list = this.holes.map((cell, i) => ({ cell, i, n: this.solutions(start, i) }))
      .filter((g) => g.n !== "0").sort((a, b) => largestFirst(a.n, b.n));
    return el("div", { class: "scroll" }, el("table", { class: "goals" }, el("caption", {}, text.goalList(this.holes[start].detail)),
      el("thead", {}, el("tr", {}, [text.lastPeg, text.solutions].map((t) => el("th", { scope: "col" }, t)))),
      el("tbody", {}, list.map(({ cell, i, n }) => el("tr", { "data-goal": i },
        el("th", { scope: "row" }, el("button", { type: "button", onclick: () => this.choose(board, start, i) }, cell.detail)),
        barCell(n, list[0].n, grouped(n)))))));
  }

  point(title) {
    this.exact.textContent = title;
  }

  /** Decides every goal, one after the other. */
  async decide(board, start, turn) {
    const name = (goal) => `${board} ${start} ${goal}`;
    const draw = () => this.draw(this.goals, text.problemGoal, (cell, i) => {
      const verdict = this.verdicts.get(name(i));
      const kind = verdict ? verdict.verdict : "unknown";
      return {
        fill: { feasible: "good", infeasible: "faint" }[kind] || "", name: `${cell.detail}: ${text.verdicts[kind]}`,
        label: { feasible: "✓" }[kind] || (verdict ? "" : "…"),
        press: () => (kind === "feasible" ? this.choose(board, start, i) : this.tell(cell, verdict)),
      };
    });
    draw();
    for (let i = 0; i < this.holes.length; i++) {
      if (!this.verdicts.has(name(i))) {
        const said = await this.feasible(board, this.positions(start, i));
        this.verdicts.set(name(i), said.document);
      }
      if (this.turn !== turn || !this.node.isConnected) return;
    }
    draw();
    say(text.decided);
  }

  tell(cell, verdict) {
    this.exact.textContent = verdict ? `${cell.detail}: ${text.verdicts[verdict.verdict]} (${verdict.criterion || "?"})` : "";
  }

  choose(board, start, goal) {
    const [from, to] = this.positions(start, goal);
    return this.offer({ board, start: from, goal: to }, (run) => go({ run: run.id, view: "board" }));
  }

  /** Draws a board whose holes can be pressed. */
  draw(place, title, look) {
    const looks = this.holes.map(look);
    const cells = this.holes.map((cell, i) => ({ ...cell, fill: looks[i].fill, label: looks[i].label || cell.detail, over: looks[i].label && cell.detail, detail: looks[i].name }));
    const focused = place.contains(document.activeElement) && document.activeElement.dataset.number;
    const drawn = picture(cells, title, (_, i) => ({
      ...asButton(looks[i].press), tabindex: 0, "data-number": i, "aria-label": looks[i].name, "aria-pressed": looks[i].on?.toString(),
      "data-solutions": looks[i].count, "data-at": cells[i].name,
      onpointerenter: () => looks[i].title && this.point(looks[i].title), onfocus: () => looks[i].title && this.point(looks[i].title),
    }));
    place.replaceChildren(el("figcaption", {}, title), drawn);
    if (focused) drawn.querySelector(`[data-number="${focused}"]`)?.focus();
  }
}
