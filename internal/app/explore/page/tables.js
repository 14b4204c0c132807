import { el } from "./dom.js";
import { drawn } from "./figures.js";
import { matrix } from "./matrix.js";
import { address, get } from "./net.js";
import { grouped } from "./number.js";
import { go, read } from "./route.js";
import { text } from "./text.js";

const digits = (value) => /^\d+$/.test(String(value));
const shown = (value) => (digits(value) ? grouped(value) : typeof value === "object" ? JSON.stringify(value) : String(value));
const kept = new Map(); // what complete runs say does not change

async function once(path) {
  if (!kept.has(path)) kept.set(path, await get(path));
  return kept.get(path);
}

const results = (id) => once(`runs/${id}/v1/results?output=json`);

/** The layers of a run that may have rows to export. */
const layers = (id) => once(`runs/${id}/v1/layers`);

/** The runs of an address whose columns are drawn beside, by ID: at most three, so that colours tell them apart. */
const besides = (now) => (now.beside || "").split(".").filter(Boolean).slice(0, 3);

/** The first columns of a table, as many as it takes to tell its rows apart. */
function naming(columns, rows) {
  for (let n = 1; n < columns.length; n++) {
    const names = columns.slice(0, n);
    if (new Set(rows.map((row) => names.map((c) => shown(row[c])).join(" "))).size === rows.length) return names;
  }
  return columns.slice(0, 1);
}

/** The results of a run: facts, tables, and a chart of a column, beside that of other runs. */
export class TablesView {
  constructor(run, runs) {
    this.run = run;
    this.runs = runs;
    this.node = el("section", { class: "tables" }, el("p", {}, text.loading));
  }

  async open() {
    [this.document, this.layers] = await Promise.all([results(this.run.id), layers(this.run.id)]);
    this.names = Object.keys(this.document).filter((name) => this.isTable(name));
    this.facts = Object.keys(this.document).filter((name) => !this.isTable(name));
    await this.show();
  }

  isTable(name) {
    const value = this.document[name];
    return Array.isArray(value) && value.length > 0 && typeof value[0] === "object";
  }

  async show() {
    const now = read();
    const name = this.names.includes(now.table) ? now.table : this.names[0];
    const rows = name ? this.document[name] : [];
    const columns = rows.length ? Object.keys(rows[0]) : [];
    const numeric = columns.slice(1).filter((c) => rows.every((row) => digits(row[c])));
    const column = numeric.includes(now.column) ? now.column : numeric[numeric.length - 1];
    const set = (change) => go({ ...read(), ...change }, true);
    const pick = (label, key, list, value) =>
      list.length > 0 && el("label", {}, label, " ",
        el("select", { onchange: (e) => set({ [key]: e.target.value }) },
          list.map(([v, t]) => el("option", { value: v, selected: v === value }, t))));
    const others = [...this.runs.values()].filter((r) => r.id !== this.run.id && r.status.state === "complete");
    const beside = besides(now).filter((id) => others.some((r) => r.id === id));
    this.picture = el("div", { class: "chart-place" });
    const squares = name && matrix(columns, rows, column);
    this.node.replaceChildren(...[
      el("h2", {}, text.facts2), this.factList(),
      name ? el("div", { class: "choices" },
        pick(text.table, "table", this.names.map((n) => [n, n]), name),
        pick(text.column, "column", numeric.map((n) => [n, n]), column),
        column && pick(text.scale, "scale", [["log", text.logarithmic], ["linear", text.linear]], now.scale || "log"),
        column && others.length > 0 && el("label", {}, text.compare, " ",
          el("select", { onchange: (e) => set({ beside: e.target.value && [...beside, e.target.value].join(".") }) },
            el("option", { value: "" }, beside.length === 0 ? "-" : text.without),
            others.filter((r) => !beside.includes(r.id)).map((r) => el("option", { value: r.id }, text.and(r.title))))))
        : el("p", {}, text.noTables),
      squares, this.picture, name && this.downloads(name, column), this.rows(), name && this.table(name, columns, rows)].flat().filter(Boolean));
    if (column && !squares) await this.draw(name, naming(columns, rows), column, now);
  }

  factList() {
    return el("dl", { class: "facts" }, this.facts.map((name) => {
      const value = this.document[name];
      const list = Array.isArray(value) ? value.map(shown).join(", ") : shown(value);
      return [el("dt", {}, name), el("dd", {}, list)];
    }));
  }

  async draw(name, x, column, now) {
    const place = this.picture; // another one stands there when something else is chosen meanwhile
    const series = [{ name: this.run.title, rows: this.document[name] }];
    for (const beside of besides(now).map((id) => this.runs.get(id)).filter((r) => r && r.status.state === "complete")) {
      const other = (await results(beside.id))[name];
      if (Array.isArray(other) && other.length && column in other[0]) series.push({ name: beside.title, rows: other });
    }
    const lists = series.map((s) => ({
      name: s.name, points: s.rows.map((row) => ({ x: x.map((c) => shown(row[c])).join(" "), exact: String(row[column]) })),
    }));
    place.replaceChildren(drawn(lists, x.join(" "), column, (now.scale || "log") === "log"));
  }

  downloads(table, column) {
    const file = (format, more) => {
      const label = { bfile: "b-file" }[format] || format;
      return [el("a", { href: address(`runs/${this.run.id}/v1/export`, { table, format, ...more }),
        download: `${table}.${format === "bfile" ? "txt" : format}` }, label), " "];
    };
    return [el("p", { class: "downloads trusted" }, text.downloads, " ", file("csv"), file("jsonl"), file("parquet"),
      column && file("bfile", { column }), column && file("svg", { column })), el("p", { class: "distrusted" }, text.noDownloads)];
  }

  /** Links to the rows of a layer, of which one is chosen. */
  rows() {
    if (this.layers.length === 0) return undefined;
    const links = el("span");
    const choice = el("select", { "data-choose": "layer", onchange: () => draw() },
      this.layers.map((layer) => el("option", { value: layer }, text.layerRows(layer))));
    const draw = () => links.replaceChildren(...["csv", "jsonl", "parquet"].flatMap((format) => [" ", el("a", {
      href: address(`runs/${this.run.id}/v1/export`, { table: "rows", layer: choice.value, format }),
      download: `layer-${choice.value}.${format}`, "data-format": format }, format)]));
    draw();
    return el("p", { class: "downloads trusted" }, el("label", {}, text.rowsOf, " ", choice), links, " ", text.rowsHelp);
  }

  table(name, columns, rows) {
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, el("table", {},
      el("caption", {}, name),
      el("thead", {}, el("tr", {}, columns.map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, columns.map((c) =>
        el("td", { class: digits(row[c]) ? "number" : "" }, shown(row[c]))))))));
  }
}
