import { el } from "./dom.js";
import { shown, words } from "./words.js";

/** What a text is sorted by: a number where it is one or a fraction, and as text otherwise. */
function compare(a, b) {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0); // of any length
  const [x, y] = [a, b].map((t) => t.split("/").map(Number)).map(([n, d = 1]) => n / d);
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return a.localeCompare(b, "en", { numeric: true });
}

/**
 * A table that is sorted by the column whose head is clicked, and by the same in the other order when it is clicked again.
 * Columns have a name, and may have a title, doc, and digit, for numbers. A cell is a text, or { sort, node }.
 */
export class Sheet {
  constructor(name, columns, rows, by = undefined) {
    this.columns = columns;
    this.by = by; // { column, down }
    this.heads = columns.map((c, i) => el("th", { scope: "col", title: c.doc, "data-column": c.name, class: c.digit ? "number" : undefined },
      el("button", { type: "button", class: "sort", onclick: () => this.sort(i) }, c.title || words(c.name))));
    this.body = el("tbody");
    this.node = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words(name) },
      el("table", { "data-table": name }, el("caption", {}, words(name)), el("thead", {}, el("tr", {}, this.heads)), this.body));
    this.fill(rows);
  }

  sort(i) {
    this.by = { column: i, down: this.by?.column === i && !this.by.down };
    this.fill(this.rows);
  }

  /** Shows these rows, in the order that was chosen. */
  fill(rows) {
    this.rows = rows;
    const key = (cell) => (typeof cell === "object" ? cell.sort : cell);
    const { column, down } = this.by || {};
    const list = this.by ? rows.toSorted((a, b) => compare(key(a[column]), key(b[column])) * (down ? -1 : 1)) : rows;
    this.heads.forEach((th, i) => th.setAttribute("aria-sort", i !== column ? "none" : down ? "descending" : "ascending"));
    this.body.replaceChildren(...list.map((row) => el("tr", { "data-run": row.run }, row.map((cell, i) => el("td", {
      class: this.columns[i].digit ? "number" : undefined, "data-of": this.columns[i].title || words(this.columns[i].name),
    }, typeof cell === "object" ? cell.node : shown(cell))))));
  }
}
