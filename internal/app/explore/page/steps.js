import { el, say } from "./dom.js";
import { picture } from "./picture.js";
import { text } from "./text.js";

// An answer as pictures one after the other: a grid of tiles as it is solved, a deck as it is counted, the moves of a
// way. Each picture is {cells, said}. What is shown is what the answer says; nothing is computed here.
const makers = { "tiles/solve": tiles, "mousetrap/play": mousetrap, "baseball/solve": baseball };

/** The pictures of an answer to a question of a puzzle; an empty list when it has none to step through. */
export function stepsOf(puzzle, question, answer) {
  const make = makers[`${puzzle}/${question}`];
  return make ? make(answer) : [];
}

/** A grid with its first tiles in place: the foot of a cell is the number of its tile in the order of play. */
function tiles({ figures }) {
  const board = figures.find((f) => f.board)?.board;
  if (!board) return [];
  const last = Math.max(0, ...board.map((c) => Number(c.foot || 0)));
  return Array.from({ length: last + 1 }, (_, n) => {
    const at = board.find((c) => Number(c.foot) === n);
    return {
      cells: board.map((c) => (Number(c.foot) <= n ? c : { ...c, inner: undefined, label: c.corner, corner: "", foot: "" })),
      said: n === 0 ? text.tilesBegin : text.tile(n, last, at.label, at.row + 1, at.column + 1),
    };
  });
}

/** The bases, and the row of tokens of every configuration of the way. */
function baseball({ figures, document }) {
  const board = figures.find((f) => f.board)?.board;
  if (!board) return [];
  const bases = board.filter((c) => !c.circle);
  const tokens = board.filter((c) => c.circle);
  const rows = [...new Set(tokens.map((c) => c.row))].sort((a, b) => a - b);
  return document.way.map((move, n) => ({
    cells: [...bases, ...tokens.filter((c) => c.row === rows[n]).map((c) => ({ ...c, row: rows[0] }))],
    said: `${n === 0 ? text.wayBegin : text.wayMove(n, document.way.length - 1, move.token, move.from, move.to)}: ${move.configuration}`,
  }));
}

/** The deck, the count that is said, and the cards that have left, in their order. */
function mousetrap({ document }) {
  const card = (label, row, column, more) => ({ row, column, label: String(label), ...more });
  const frames = [];
  const left = [];
  const show = (said, at, count, hit) => {
    const cells = document.deck.map((c, i) => {
      const gone = left.includes(c) && !(hit && c === at);
      return card(gone ? "" : c, 0, i, { fill: gone ? "faint" : c === at ? (hit ? "good" : "orange") : "white", corner: c === at ? String(count) : "" });
    });
    frames.push({ cells: [...cells, ...left.map((c, i) => card(c, 1.4, i, { fill: "good" }))], said });
  };
  show(text.deckBegin(document.deck.join(" ")));
  for (const turn of document.turns) {
    for (const [, count, c] of turn.said.matchAll(/(\d+):(\d+)/g)) {
      const hit = count === c;
      if (hit) left.push(Number(c));
      show(hit ? text.cardLeaves(count, turn.left) : text.cardSaid(count, c), Number(c), count, hit);
    }
  }
  show(document.left.length === 0 ? text.deckWins(document.order.join(" ")) : text.deckEnds(document.left.join(" ")));
  return frames;
}

/** Pictures to step through, with a slider, buttons and the arrow keys of the slider. */
export class Steps {
  constructor(frames) {
    this.frames = frames;
    this.said = el("p", { class: "exact", "data-step": 0 });
    this.place = el("div", { class: "step" });
    this.slider = el("input", { type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": text.step,
      oninput: () => this.show(Number(this.slider.value)) });
    const button = (label, fn, name) => el("button", { type: "button", onclick: fn, "data-do": name }, label);
    this.player = button(text.play, () => (this.timer ? this.stop() : this.play()), "play");
    this.node = el("section", { class: "steps", "aria-label": text.steps }, this.said, this.place, this.slider,
      el("div", { class: "buttons" }, button(text.back, () => this.by(-1), "back"), button(text.forward, () => this.by(1), "forward"), this.player));
    this.show(0, false);
  }

  show(n, aloud = true) {
    this.at = Math.min(this.frames.length - 1, Math.max(0, n));
    const frame = this.frames[this.at];
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", frame.said);
    this.said.textContent = frame.said;
    this.said.dataset.step = this.at;
    this.place.replaceChildren(picture(frame.cells, frame.said));
    if (aloud) say(frame.said);
  }

  by(n) {
    this.stop();
    this.show(this.at + n);
  }

  play() {
    if (this.at === this.frames.length - 1) this.show(0);
    this.player.textContent = text.stop;
    this.timer = setInterval(() => {
      if (this.at === this.frames.length - 1 || !this.node.isConnected) this.stop();
      else this.show(this.at + 1);
    }, 700);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.player.textContent = text.play;
  }
}
