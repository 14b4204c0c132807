import { svg } from "./dom.js";

// Boards of cells, as the server describes them: peg boards, tiles, piles. Colours are classes; the style sheet has them.
const pitch = 40;

/**
 * The class of a text on a colour, of which shade is how much of it covers the white behind. With black or white texts the
 * contrast is 4.5 at least.
 */
export const textOn = (fill, shade = 1) =>
  (["ink", "accent", "bad", "black"].includes(fill) && shade >= 0.91 ? "on-dark" : "on-light");

/** What is pressed between the cells of a part. */
function ground(cells) {
  const [x, y, right, bottom] = [[Math.min, "column", 0], [Math.min, "row", 0], [Math.max, "column", 1], [Math.max, "row", 1]]
    .map(([most, side, more]) => pitch * (most(...cells.map((cell) => cell[side])) + more));
  return svg("rect", { x, y, width: right - x, height: bottom - y, class: "ground" });
}

/**
 * A board of cells as an SVG element. each(cell, number) returns more for the group of a cell. parts are cells that are
 * one group, each with the numbers of its cells and what the group has.
 */
export function picture(cells, name, each = () => ({}), parts = []) {
  const columns = Math.max(...cells.map((cell) => cell.column)) + 1;
  const rows = Math.max(...cells.map((cell) => cell.row)) + 1;
  const groups = cells.map((cell, number) => {
    const x = (cell.column + 0.5) * pitch;
    const y = (cell.row + 0.5) * pitch;
    const paint = { class: ["paint", cell.fill && `fill-${cell.fill}`, cell.ring && "ringed"].filter(Boolean).join(" ") };
    if (cell.shade) paint["fill-opacity"] = cell.shade;
    const shape = cell.circle
      ? svg("circle", { cx: x, cy: y, r: pitch * 0.44, ...paint })
      : svg("rect", { x: x - pitch / 2 + 1, y: y - pitch / 2 + 1, width: pitch - 2, height: pitch - 2, ...paint });
    const back = cell.circle && svg("circle", { cx: x, cy: y, r: pitch * 0.44, class: "back" });
    const inner = cell.inner &&
      svg("rect", { x: x - 9, y: y - 9, width: 18, height: 18, class: `paint fill-${cell.inner}` });
    const size = Math.min(13, (pitch * 1.35) / Math.max(1, (cell.label || "").length)); // so that digits fit in a circle
    return svg("g", each(cell, number),
      cell.detail && svg("title", {}, cell.detail), back, shape, inner,
      cell.label && svg("text", { x, y: y + size * 0.36 + (cell.over ? 3 : 0), "font-size": size, class: textOn(cell.inner || cell.fill, cell.shade || 1) }, cell.label),
      cell.over && svg("text", { x, y: y - 7, "font-size": 8, class: textOn(cell.inner || cell.fill, cell.shade || 1) }, cell.over),
      cell.corner && svg("text", { x: x - pitch / 2 + 7, y: y - pitch / 2 + 10, "font-size": 8, class: textOn(cell.fill, cell.shade || 1) }, cell.corner),
      cell.foot && svg("text", { x: x + pitch / 2 - 7, y: y + pitch / 2 - 4, "font-size": 8, class: textOn(cell.fill, cell.shade || 1) }, cell.foot));
  });
  const pressed = parts.map(({ cells: own, ...more }) => svg("g", more, ground(own.map((n) => cells[n])), own.map((n) => groups[n])));
  return svg("svg", { viewBox: `0 0 ${columns * pitch} ${rows * pitch}`, class: "picture", role: "group", "aria-label": name },
    groups.filter((group) => !group.parentNode), pressed);
}
