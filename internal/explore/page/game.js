// Positions as the server writes them, in one line: o a peg, . an empty hole, - none, / the next row. The picture of a
// position lists the holes in the same order, with where they are and their labels.

/** A board: its holes, by number and by label. */
export class Board {
  constructor(cells) {
    this.holes = cells.map((cell, number) => ({ number, label: cell.detail, row: cell.row, column: cell.column }));
    this.byLabel = new Map(this.holes.map((hole) => [hole.label, hole]));
    this.width = Math.max(...this.holes.map((hole) => hole.column)) + 1;
    this.height = Math.max(...this.holes.map((hole) => hole.row)) + 1;
  }

  /** The holes of a jump such as 46x44: where it begins, what it takes, where it ends. */
  jump(name) {
    for (let i = name.indexOf("x"); i >= 0; i = name.indexOf("x", i + 1)) {
      const from = this.byLabel.get(name.slice(0, i));
      const to = this.byLabel.get(name.slice(i + 1));
      if (!from || !to) continue;
      const row = (from.row + to.row) / 2;
      const column = (from.column + to.column) / 2;
      const over = this.holes.find((hole) => hole.row === row && hole.column === column);
      if (over) return { name, from, over, to };
    }
    return undefined;
  }
}

const places = (position) => [...position.matchAll(/[o.]/g)].map((match) => match.index);

/** Whether the hole of a number has a peg. */
export function has(position, number) {
  return position[places(position)[number]] === "o";
}

/** The position after a jump; undefined when it cannot be made. */
export function play(position, jump) {
  const at = places(position);
  const marks = [...position];
  if (marks[at[jump.from.number]] !== "o" || marks[at[jump.over.number]] !== "o") return undefined;
  if (marks[at[jump.to.number]] !== ".") return undefined;
  marks[at[jump.from.number]] = ".";
  marks[at[jump.over.number]] = ".";
  marks[at[jump.to.number]] = "o";
  return marks.join("");
}

/** The positions of a game from a position on; it ends before the first jump that cannot be made. */
export function positions(board, start, jumps) {
  const list = [start];
  for (const name of jumps) {
    const jump = board.jump(name);
    const next = jump && play(list[list.length - 1], jump);
    if (!next) break;
    list.push(next);
  }
  return list;
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
