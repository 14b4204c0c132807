import { text } from "./text.js";

// Positions as the server writes them, in one line: o a peg, . an empty hole, - none, / the next row. The picture of a
// position lists the holes in the same order, with where they are and their labels.

/** A board: its holes, by number and by label, and its jumps, by name. */
export class Board {
  /** cells are those of the picture of a position. A board with a rule of its own has its jumps listed, as a>b>c d>e>f. */
  constructor(cells, position, listed = "") {
    this.holes = cells.map((cell, number) => ({ number, label: cell.detail, row: cell.row, column: cell.column }));
    this.width = Math.max(...this.holes.map((hole) => hole.column)) + 1;
    this.height = Math.max(...this.holes.map((hole) => hole.row)) + 1;
    this.text = position;
    this.marks = [...position.matchAll(/[o.]/g)].map((match) => match.index);
    // On the triangular lattice a row begins half a hole beside the next.
    this.triangular = this.holes.some((hole) => !Number.isInteger(hole.column - this.holes[0].column));
    const jumps = listed ? this.listed(listed) : this.holes.flatMap((from) => this.jumpsFrom(from));
    this.jumps = new Map(jumps.map((jump) => [jump.name, jump]));
  }

  /** The jumps of a list. */
  listed(list) {
    const holes = new Map(this.holes.map((hole) => [hole.label, hole]));
    return list.split(" ").map((word) => {
      const [from, over, to] = word.split(">").map((label) => holes.get(label));
      return { from, over, to, name: `${from.label}x${to.label}` };
    });
  }

  /** The jumps from a hole, wherever pegs are: over a neighbour into the hole behind it. */
  jumpsFrom(from) {
    const ways = this.triangular ? [[0, 1], [1, 0.5], [1, -0.5]] : [[0, 1], [1, 0]];
    const at = (times, [down, right]) =>
      this.holes.find((hole) => hole.row === from.row + times * down && hole.column === from.column + times * right);
    return ways.flatMap((way) => [1, -1].map((sign) => ({ from, over: at(sign, way), to: at(2 * sign, way) })))
      .filter((jump) => jump.over && jump.to)
      .map((jump) => ({ ...jump, name: `${jump.from.label}x${jump.to.label}` }));
  }

  /** Whether a hole has a peg. */
  has(position, hole) {
    return position[this.marks[hole.number]] === "o";
  }

  /** The holes that have a peg. */
  pegs(position) {
    return this.holes.filter((hole) => this.has(position, hole));
  }

  /** The position with the peg of a hole set or taken away. */
  toggle(position, hole) {
    const marks = [...position];
    marks[this.marks[hole.number]] = this.has(position, hole) ? "." : "o";
    return marks.join("");
  }

  /** The position with a peg in every hole, or in none. */
  filled(full) {
    return [...this.text].map((mark, i) => (this.marks.includes(i) ? (full ? "o" : ".") : mark)).join("");
  }

  /** A position as files have it: x and hexadecimal digits, bit i being hole i. */
  hex(position) {
    const bits = this.holes.reduce((sum, hole) => sum + (this.has(position, hole) ? 1n << BigInt(hole.number) : 0n), 0n);
    return `x${bits.toString(16).padStart(Math.ceil(this.holes.length / 4), "0")}`;
  }

  /** The position of such a number; undefined for another text, or pegs where there is no hole. */
  ofHex(digits) {
    if (!/^0?x[0-9a-f]{1,16}$/i.test(digits)) return undefined;
    const bits = BigInt(`0x${digits.toLowerCase().split("x")[1]}`);
    if (bits >> BigInt(this.holes.length)) return undefined;
    return this.holes.reduce((p, hole) => ((bits >> BigInt(hole.number)) & 1n ? this.toggle(p, hole) : p), this.filled(false));
  }

  /** Whether a jump can be made. */
  can(position, jump) {
    return this.has(position, jump.from) && this.has(position, jump.over) && !this.has(position, jump.to);
  }

  /** Why a jump, by its name, cannot be made. */
  whyNot(position, name) {
    const [from, to, ...more] = name.split("x");
    if (!to || more.length) return text.noJumpName;
    const [a, b] = [from, to].map((label) => this.holes.find((hole) => hole.label === label));
    if (!a || !b) return text.noHole(a ? to : from);
    const jump = this.jumps.get(name);
    if (!jump) return text.noWay(from, to);
    if (!this.has(position, a)) return text.noPeg(from);
    if (this.has(position, b)) return text.occupied(to);
    return text.noPegOver(jump.over.label);
  }

  /** The jumps that can be made. */
  moves(position) {
    return [...this.jumps.values()].filter((jump) => this.can(position, jump));
  }

  /** The position after a jump that can be made. */
  play(position, jump) {
    const marks = [...position];
    marks[this.marks[jump.from.number]] = marks[this.marks[jump.over.number]] = ".";
    marks[this.marks[jump.to.number]] = "o";
    return marks.join("");
  }

  /** The positions of a game from a position on; it ends before the first jump that cannot be made. */
  positions(start, names) {
    const list = [start];
    for (const name of names) {
      const jump = this.jumps.get(name);
      const position = list[list.length - 1];
      if (!jump || !this.can(position, jump)) break;
      list.push(this.play(position, jump));
    }
    return list;
  }

  /** The names of the rows and columns, and where they stand: beside the board, or beside the first hole of a slanted line. */
  edges() {
    const lines = new Map();
    for (const { label, row, column } of this.holes) {
      const [, left, right] = /^([a-z]|\d|r\d+)(\d+|c\d+)$/.exec(label) || [];
      if (!left) return [];
      const [across, down] = left.startsWith("r") && right.startsWith("c") ? [left, right] : [right, left];
      const [beside, above] = this.triangular
        ? [{ row, column: column - 0.75 }, { row: row - 0.7, column: column + 0.35 }] : [{ row, column: -0.75 }, { row: -0.75, column }];
      if (!lines.has(`row ${across}`)) lines.set(`row ${across}`, { name: across, ...beside });
      if (!lines.has(`column ${down}`)) lines.set(`column ${down}`, { name: down, ...above });
    }
    return [...lines.values()];
  }
}

/** The nearest hole in the direction of an arrow key. */
export function neighbour(board, hole, key) {
  const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  let best;
  let least = Infinity;
  for (const other of board.holes) {
    const along = (other.row - hole.row) * way[0] + (other.column - hole.column) * way[1];
    const across = Math.abs((other.row - hole.row) * way[1]) + Math.abs((other.column - hole.column) * way[0]);
    if (along <= 0 || across > along) continue;
    const far = along + 2 * across;
    if (far < least) [best, least] = [other, far];
  }
  return best;
}
