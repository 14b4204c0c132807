import { el } from "./dom.js";
import { drawn } from "./figures.js";
import { once } from "./net.js";
import { Sheet } from "./sheet.js";
import { shown, words } from "./words.js";

/** The result of a complete run: facts, tables, and what is cited. */
export const result = (id) => once(`runs/${id}/result`);

/** The layers of a run that may have rows to export. */
export const layers = (id) => once(`runs/${id}/v1/layers`);

const plain = (fact) => fact.value !== undefined || fact.list;

/** Facts as names and values, what is an object as a table, and histograms as charts. */
export function factList(facts) {
  return [el("dl", { class: "facts" }, facts.filter(plain).map((fact) => [
    el("dt", { title: fact.doc }, words(fact.name)),
    el("dd", { "data-fact": fact.name }, fact.list ? fact.list.map(shown).join(", ") : shown(fact.value))])),
  facts.filter((fact) => !plain(fact) && fact.fields?.length).map(objects),
  facts.filter((fact) => fact.map).map((fact) => el("div", { "data-histogram": fact.name },
    drawn([{ name: "", points: fact.map.map(([x, exact]) => ({ x, exact })) }], text(fact), words(fact.name), true)))];
}

/** What a histogram is by: its name says it of what. */
const text = (fact) => (fact.doc ? fact.doc.split(/[;,.]/)[0] : "");

/** An object of objects as a table with a row each, an object of values as names and values. */
function objects(fact) {
  const [first] = fact.fields;
  if (plain(first)) return [el("h3", {}, words(fact.name)), factList(fact.fields)];
  const columns = [{ name: fact.name, title: words(fact.name) }, ...first.fields.map(({ name, doc, digit }) => ({ name, doc, digit }))];
  return new Sheet(fact.name, columns, fact.fields.map((f) =>
    [words(f.name), ...columns.slice(1).map((c) => f.fields.find((x) => x.name === c.name)?.value ?? "")])).node;
}
