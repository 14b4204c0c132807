import { chart } from "./chart.js";
import { el } from "./dom.js";
import { address, get } from "./net.js";
import { grouped } from "./number.js";
import { go, read } from "./route.js";
import { text } from "./text.js";

const digits = (value) => /^\d+$/.test(String(value));
const shown = (value) => (digits(value) ? grouped(value) : typeof value === "object" ? JSON.stringify(value) : String(value));
const kept = new Map(); // results of complete runs do not change

async function results(id) {
  if (!kept.has(id)) kept.set(id, await get(`runs/${id}/v1/results?output=json`));
  return kept.get(id);
}

/** The results of a run: facts, tables, and a chart of a column, beside that of other runs. */
export class TablesView {
  constructor(run, runs) {
    this.run = run;
    this.runs = runs;
    this.node = el("section", { class: "tables" }, el("p", {}, text.loading));
  }

  async open() {
    this.document = await results(this.run.id);
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
    this.picture = el("div", { class: "chart-place" });
    this.node.replaceChildren(
      el("h2", {}, text.facts2), this.factList(),
      name ? el("div", { class: "choices" },
        pick(text.table, "table", this.names.map((n) => [n, n]), name),
        pick(text.column, "column", numeric.map((n) => [n, n]), column),
        column && pick(text.scale, "scale", [["log", text.logarithmic], ["linear", text.linear]], now.scale || "log"),
        column && pick(text.compare, "beside", [["", "-"], ...others.map((r) => [r.id, r.title])], now.beside || ""))
        : el("p", {}, text.noTables),
      this.picture, name && this.downloads(name, column), name && this.table(name, columns, rows));
    if (column) await this.draw(name, columns[0], column, now);
  }

  factList() {
    return el("dl", { class: "facts" }, this.facts.map((name) => {
      const value = this.document[name];
      const list = Array.isArray(value) ? value.map(shown).join(", ") : shown(value);
      return [el("dt", {}, name), el("dd", {}, list)];
    }));
  }

  async draw(name, x, column, now) {
    const series = [{ name: this.run.title, rows: this.document[name] }];
    const beside = now.beside && this.runs.get(now.beside);
    if (beside) {
      const other = (await results(beside.id))[name];
      if (Array.isArray(other) && other.length && column in other[0]) series.push({ name: beside.title, rows: other });
    }
    const lists = series.map((s) => ({
      name: s.name, points: s.rows.map((row) => ({ x: row[x], exact: String(row[column]) })),
    }));
    this.picture.replaceChildren(chart(lists, x, column, (now.scale || "log") === "log"));
  }

  downloads(table, column) {
    const file = (format, more) => {
      const label = { bfile: "b-file" }[format] || format;
      return [el("a", { href: address(`runs/${this.run.id}/v1/export`, { table, format, ...more }),
        download: `${table}.${format === "bfile" ? "txt" : format}` }, label), " "];
    };
    return el("p", { class: "downloads" }, text.downloads, " ", file("csv"), file("jsonl"), file("parquet"),
      column && file("bfile", { column }), column && file("svg", { column }));
  }

  table(name, columns, rows) {
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, el("table", {},
      el("caption", {}, name),
      el("thead", {}, el("tr", {}, columns.map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, columns.map((c) =>
        el("td", { class: digits(row[c]) ? "number" : "" }, shown(row[c]))))))));
  }
}
