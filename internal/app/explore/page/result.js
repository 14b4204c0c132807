import { el, replace } from "./dom.js";
import { factList, result } from "./facts.js";
import { grouped } from "./number.js";
import { link, url } from "./route.js";
import { chartOf, downloads } from "./tables.js";
import { matrix } from "./matrix.js";
import { text } from "./text.js";
import { duration, size, words } from "./words.js";

/** A complete run as something to cite: what was asked, the numbers, and how to check them. */
export class ResultView {
  constructor(run) {
    this.run = run;
    this.node = el("section", { class: "result" }, el("p", {}, text.loading));
  }

  async open() {
    const { run } = this;
    const found = await result(run.id);
    const [table] = found.tables;
    const column = table?.columns.slice(1).filter((c) => c.digit).pop()?.name;
    const asked = new Set((run.problem || []).map((l) => l.name)); // they stand above
    const code = (name, ...lines) => [el("h3", {}, name), el("pre", { tabindex: 0, role: "region", "aria-label": name }, ...lines)];
    replace(this.node,
      el("h2", {}, run.title),
      run.result && el("p", { class: "answer" }, el("span", { class: "count", id: "answer" }, grouped(run.result.value)), ` ${this.answer(grouped)}`),
      el("h3", {}, text.definition), el("dl", { class: "facts" }, (run.problem || []).map((l) => [el("dt", {}, l.name), el("dd", {}, l.text)])),
      el("h3", {}, text.facts2), factList(found.facts.filter((f) => !asked.has(f.name))), found.notes.map((note) => el("p", {}, note)),
      table && (matrix(table, column) || (column && chartOf([{ name: run.title, table }], 1, column, true))),
      table && downloads(run.id, table.name, column), el("p", {}, el("a", { href: link({ run: run.id, view: "tables" }) }, text.allTables)),
      el("h3", {}, text.check), this.checks(found),
      code(text.config, found.config),
      code(text.command, `coordinator run ${run.title.replaceAll(/[^a-z0-9-]+/gi, "-")}.yaml`),
      el("h3", {}, text.references), el("ul", {}, (text.sources[run.puzzle] || []).map((t) => el("li", {}, t))),
      code(text.cite, this.citation(found)));
  }

  /** What is counted by the number that stands for the result. Of all pairs it is how many have solutions. */
  answer(digits) {
    const { name, of, all } = this.run.result;
    return of ? text.pairsFound(digits(of), digits(all)) : words(name);
  }

  checks({ certificate: c }) {
    const { run } = this;
    const s = run.status;
    const rows = [[text.runID, run.id], [text.computed, run.ended ? `${run.ended.slice(0, 10)}, ${text.took(duration(run.seconds))}` : undefined],
      [text.held, `${grouped(s.windows)} ${text.windows}, ${grouped(s.rows)} ${text.rows}, ${size(s.bytes)}`],
      [text.root, c?.root], [text.program, c?.version],
      [text.checked, c && [[c.checks.edges, text.edges], [c.checks.audited, text.audited], [c.checks.read, text.reread], [c.checks.recomputed, text.recomputed]]
        .filter(([n]) => n > 0).map(([n, what]) => `${grouped(n)} ${what}`).join(", ")],
      [text.trust, c?.words]];
    return [el("dl", { class: "facts checks" }, rows.filter(([, value]) => value).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      c ? el("p", {}, el("a", { href: `runs/${run.id}/certificate`, download: `${run.id}-certificate.json` }, text.certificate), " ",
        !run.at && el("a", { href: `runs/${run.id}/book/` }, text.book)) : el("p", {}, text.noCertificate)];
  }

  /** What stands in a paper. */
  citation({ certificate: c }) {
    const { run } = this;
    const problem = (run.problem || []).map((l) => `${l.name}: ${l.text}`).join("; ");
    return [`${run.title} (${problem}).`, run.result && `${run.result.value} ${this.answer(String)}.`,
      `Pagoda, run ${run.id}${run.ended ? `, ${run.ended.slice(0, 10)}` : ""}${c ? `, certificate ${c.root}` : ""}.`,
      url({ run: run.id, view: "result" })].filter(Boolean).join("\n");
  }
}
