// Checks a dashboard against Grafana's own types: node dashboard.mjs FILE
//
// The types are those that Grafana's foundation SDK has of dashboards, of the options of each kind of panel, and of
// Prometheus queries. TypeScript compares the file with them: names that are not there, values of another type, and
// those that are none of an enumeration are errors. Then the check checks itself, on broken copies.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import ts from "typescript";

const sdk = "@grafana/grafana-foundation-sdk";
const kinds = ["stat", "timeseries"]; // of panels; another one is added here

// Plain turns enumerations into their texts, as JSON has them, and Some lets defaults be left out.
const head = `
import type {Dashboard, DataSourceRef, FieldConfigSource, Panel, RowPanel, VariableModel} from "${sdk}/dashboard";
import type {Dataquery} from "${sdk}/prometheus";
${kinds.map(k => `import type * as ${k} from "${sdk}/${k}";`).join("\n")}
type Plain<T> = T extends string ? \`\${T}\` : T extends number | boolean | null | undefined ? T
  : T extends (infer U)[] ? Plain<U>[] : T extends object ? {[K in keyof T]: Plain<T[K]>} : T;
type Some<T> = T extends (infer U)[] ? U[] : T extends object ? {[K in keyof T]?: Some<T[K]>} : T;
type Target = Plain<Omit<Dataquery, "_implementsDataqueryVariant">>;
type Fields<C> = Omit<Some<Plain<FieldConfigSource>>, "defaults"> & {
  defaults: Some<Plain<Omit<FieldConfigSource["defaults"], "custom">>> & {custom?: C};
};
type Of<O, C> = Plain<Omit<Panel, "type" | "targets" | "options" | "fieldConfig">> & {
  type: string; id: number; title: string; datasource: DataSourceRef; targets: Target[]; options: O;
  fieldConfig: Fields<C>;
};
interface Panels {
  row: Plain<Omit<RowPanel, "panels">> & {panels: []};
  stat: Of<Some<Plain<stat.Options>>, {}>;
  timeseries: Of<Some<Plain<timeseries.Options>>, Some<Plain<timeseries.FieldConfig>>>;
}
export const board: Some<Plain<Omit<Dashboard, "panels" | "templating">>> = `;

function source(board) {
  const {panels, templating, ...rest} = board;
  const write = v => JSON.stringify(v, null, 1);
  return head + write(rest) + ";\n" +
    `export const variables: Some<Plain<VariableModel>>[] = ${write(templating.list)};\n` +
    panels.map((p, i) => `export const panel${i}: Panels[${write(p.type)}] = ${write(p)};\n`).join("");
}

const options = {strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, types: [],
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler};
const file = join(import.meta.dirname, "board.ts"); // in memory only
const parsed = new Map(); // the SDK's files, read once

// mistakes lists what the compiler says of a dashboard.
function mistakes(board) {
  const text = source(board);
  const host = ts.createCompilerHost(options);
  const {getSourceFile, fileExists} = host;
  host.fileExists = name => name === file || fileExists(name);
  host.getSourceFile = (name, version) => {
    if (name === file) return ts.createSourceFile(name, text, version);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, version));
    return parsed.get(name);
  };
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(d => {
    const at = d.file && d.start !== undefined
      ? d.file.text.slice(d.file.text.lastIndexOf("\n", d.start) + 1).split("\n")[0].trim() : "";
    return `${at}: ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`;
  }).concat(layout(board));
}

// layout lists what no type says: panels that lie on each other or beside the 24 columns, IDs and queries that are
// there twice, variables that are not there.
function layout(board) {
  const out = [];
  const cells = new Map();
  const ids = new Set();
  for (const p of board.panels) {
    const name = `panel ${p.id}, ${p.title}`;
    if (ids.has(p.id)) out.push(`${name}: there are two of this ID`);
    ids.add(p.id);
    const {x, y, w, h} = p.gridPos;
    if (x + w > 24) out.push(`${name} goes beyond 24 columns`);
    for (let i = x; i < x + w; i++) {
      for (let j = y; j < y + h; j++) {
        if (cells.has(`${i} ${j}`)) out.push(`${name} lies on ${cells.get(`${i} ${j}`)}`);
        cells.set(`${i} ${j}`, name);
      }
    }
    const refs = (p.targets ?? []).map(t => t.refId);
    if (new Set(refs).size < refs.length) out.push(`${name}: two queries have the same refId`);
  }
  const known = new Set(board.templating.list.map(v => v.name));
  for (const [, a, b] of JSON.stringify(board).matchAll(/\$(?:\{(\w+)[^}]*\}|(\w+))/g)) {
    const name = a ?? b;
    if (!name.startsWith("__") && !known.has(name)) out.push(`there is no variable ${name}`);
  }
  return [...new Set(out)];
}

const board = JSON.parse(readFileSync(process.argv[2], "utf8"));
const wrong = mistakes(board);
for (const m of wrong) console.error(`error: ${m}`);

const first = (b, type) => b.panels.find(p => p.type === type);
const broken = {
  "a field of the dashboard": b => { b.refesh = b.refresh; },
  "the kind of a panel": b => { first(b, "stat").type = "stats"; },
  "a field of a panel": b => { first(b, "timeseries").titel = "x"; },
  "an option": b => { first(b, "timeseries").options.legends = {}; },
  "the value of an option": b => { first(b, "timeseries").options.legend.displayMode = "tables"; },
  "a custom field": b => { first(b, "timeseries").fieldConfig.defaults.custom = {linewidth: 1}; },
  "a unit": b => { first(b, "stat").fieldConfig.defaults.unit = 7; },
  "a field of a query": b => { first(b, "stat").targets[0].expression = "1"; },
  "the type of a variable": b => { b.templating.list[1].type = "querry"; },
  "a variable": b => { first(b, "stat").targets[0].expr = "up{run=~\"$runs\"}"; },
  "a place": b => { first(b, "stat").gridPos.x = 23; },
  "an ID": b => { b.panels[1].id = b.panels[2].id; },
};
for (const [what, breakIt] of Object.entries(broken)) {
  const copy = structuredClone(board);
  breakIt(copy);
  if (mistakes(copy).length <= wrong.length) {
    console.error(`error: the check does not notice ${what} that is wrong`);
    process.exitCode = 1;
  }
}
if (wrong.length > 0) process.exit(1);
console.log(`${board.panels.length} panels and ${board.templating.list.length} variables are as Grafana's types say; ` +
  `${Object.keys(broken).length} broken copies were noticed`);
