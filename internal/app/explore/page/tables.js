import { el, replace } from "./dom.js";
import { drawn } from "./figures.js";
import { matrix } from "./matrix.js";
import { factList, layers, result } from "./facts.js";
import { address } from "./net.js";
import { go, read } from "./route.js";
import { Sheet } from "./sheet.js";
import { text } from "./text.js";
import { shown, words } from "./words.js";

/** The runs of an address whose columns are drawn beside, by ID: at most three, so that colours tell them apart. */
const besides = (now) => (now.beside || "").split(".").filter(Boolean).slice(0, 3);

/** The first columns of a table, as many as it takes to tell its rows apart: their numbers. */
function naming(table) {
  for (let n = 1; n < table.columns.length; n++) {
    if (new Set(table.rows.map((row) => row.slice(0, n).join(" "))).size === table.rows.length) return n;
  }
  return 1;
}

/** The results of a run: facts, tables, and a chart of a column, beside that of other runs. */
export class TablesView {
  constructor(run, runs) {
    this.run = run;
    this.runs = runs;
    this.node = el("section", { class: "tables" }, el("p", {}, text.loading));
  }

  async open() {
    [this.result, this.layers] = await Promise.all([result(this.run.id), layers(this.run.id)]);
    await this.show();
  }

  async show() {
    const now = read();
    const { tables } = this.result;
    const table = tables.find((t) => t.name === now.table) || tables[0];
    const numeric = table ? table.columns.slice(1).filter((c) => c.digit).map((c) => c.name) : [];
    const column = numeric.includes(now.column) ? now.column : numeric[numeric.length - 1];
    const set = (change) => go({ ...read(), ...change }, true);
    const pick = (label, key, list, value) =>
      list.length > 0 && el("label", {}, label, " ",
        el("select", { onchange: (e) => set({ [key]: e.target.value }) },
          list.map(([v, t]) => el("option", { value: v, selected: v === value }, t))));
    const others = [...this.runs.values()].filter((r) => r.id !== this.run.id && r.status.state === "complete");
    const beside = besides(now).filter((id) => others.some((r) => r.id === id));
    this.picture = el("div", { class: "chart-place", "data-chart": "column" });
    const squares = table && matrix(table, column);
    replace(this.node,
      el("h2", {}, text.facts2), factList(this.result.facts), this.result.notes.map((note) => el("p", {}, note)),
      table ? el("div", { class: "choices" },
        pick(text.table, "table", tables.map(({ name }) => [name, words(name)]), table.name),
        pick(text.column, "column", numeric.map((n) => [n, words(n)]), column),
        column && pick(text.scale, "scale", [["log", text.logarithmic], ["linear", text.linear]], now.scale || "log"),
        column && others.length > 0 && el("label", {}, text.compare, " ",
          el("select", { onchange: (e) => set({ beside: e.target.value && [...beside, e.target.value].join(".") }) },
            el("option", { value: "" }, beside.length === 0 ? "-" : text.without),
            others.filter((r) => !beside.includes(r.id)).map((r) => el("option", { value: r.id }, text.and(r.title))))))
        : el("p", {}, text.noTables),
      squares, this.picture, table && downloads(this.run.id, table.name, column), this.rows(),
      (table?.links || this.result.row_links) && this.linkChoice(),
      table && new Sheet(table.name, table.columns, linked(table)).node);
    this.setLinks();
    if (column && !squares) await this.draw(table, column, now);
  }

  async draw(table, column, now) {
    const place = this.picture; // another one stands there when something else is chosen meanwhile
    const x = naming(table);
    const series = [{ name: this.run.title, table }];
    for (const beside of besides(now).map((id) => this.runs.get(id)).filter((r) => r && r.status.state === "complete")) {
      const other = (await result(beside.id)).tables.find((t) => t.name === table.name);
      if (other?.rows.length && other.columns.some((c) => c.name === column)) series.push({ name: beside.title, table: other });
    }
    place.replaceChildren(chartOf(series, x, column, (now.scale || "log") === "log"));
  }

  /** Whether the files have a column of links to the board. */
  linkChoice() {
    return el("p", { class: "trusted" }, el("label", {}, el("input", { type: "checkbox", "data-do": "links", checked: this.links,
      onchange: (e) => { this.links = e.target.checked; this.setLinks(); } }), " ", text.withLinks));
  }

  /** Has the files of tables and rows that can have links have them, or not. */
  setLinks() {
    for (const a of this.node.querySelectorAll(".downloads a")) {
      const url = new URL(a.href);
      const [table, format] = ["table", "format"].map((name) => url.searchParams.get(name));
      const can = table === "rows" ? this.result.row_links : this.result.tables.find((t) => t.name === table)?.links;
      url.searchParams.delete("links");
      if (this.links && can && !["bfile", "svg"].includes(format)) url.searchParams.set("links", location.origin + location.pathname);
      a.href = url.href;
    }
  }

  /** Links to the rows of a layer, of which one is chosen. */
  rows() {
    if (this.layers.length === 0) return undefined;
    const links = el("span");
    const choice = el("select", { "data-choose": "layer", onchange: () => { draw(); this.setLinks(); } },
      this.layers.map((layer) => el("option", { value: layer }, text.layerRows(layer))));
    const draw = () => links.replaceChildren(...["csv", "jsonl", "parquet"].flatMap((format) => [" ", el("a", {
      href: address(`runs/${this.run.id}/v1/export`, { table: "rows", layer: choice.value, format }),
      download: `layer-${choice.value}.${format}`, "data-format": format }, format)]));
    draw();
    return el("p", { class: "downloads trusted" }, el("label", {}, text.rowsOf, " ", choice), links, " ", text.rowsHelp);
  }
}

/** The rows of a table, whose first cells are links where the rows have some. */
const linked = ({ rows, links }) => (links ? rows.map(([first, ...rest], i) =>
  [{ sort: first, node: el("a", { href: links[i], title: text.openOnBoard }, shown(first)) }, ...rest]) : rows);

/** A column of a table of one or more runs as a chart by the first x columns. */
export function chartOf(series, x, column, logarithmic) {
  const lists = series.map(({ name, table }) => {
    const y = table.columns.findIndex((c) => c.name === column);
    return { name, points: table.rows.map((row) => ({ x: row.slice(0, x).map(shown).join(" "), exact: row[y] })) };
  });
  return drawn(lists, series[0].table.columns.slice(0, x).map((c) => words(c.name)).join(" "), words(column), logarithmic);
}

/** Links to a table in every format, and to a column of it. */
export function downloads(run, table, column) {
  const file = (format, more) => [el("a", { href: address(`runs/${run}/v1/export`, { table, format, ...more }),
    download: `${table}.${format === "bfile" ? "txt" : format}` }, { bfile: "b-file" }[format] || format), " "];
  return [el("p", { class: "downloads trusted" }, text.downloads, " ", file("csv"), file("jsonl"), file("parquet"),
    column && file("bfile", { column }), column && file("svg", { column })), el("p", { class: "distrusted" }, text.noDownloads)];
}
