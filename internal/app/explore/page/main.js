import { el, notice } from "./dom.js";
import { get, load, watch } from "./net.js";
import { go, link, read } from "./route.js";
import { NotCompleteView, NotWaysView } from "./waiting.js";
import { text } from "./text.js";

const main = document.getElementById("view");
const chooser = document.getElementById("run");
const runs = new Map(); // by ID, as the server says
const coordinators = []; // elsewhere
let shown = { key: "", view: undefined };
let away = false;
let listed = false; // whether all runs are known that were offered when the page was opened

// The code of a view comes when it is first shown; a literal name each, so that a reader of the code finds it.
const board = async (run) => new (await load(import("./board.js"))).BoardView(run);
const heat = async (run) => new (await load(import("./heat.js"))).HeatView(run);
const tables = async (run) => new (await load(import("./tables.js"))).TablesView(run, runs);
const ask = async (run, complete) => new (await load(import("./ask.js"))).AskView(run, complete);
const list = async () => new (await load(import("./runs.js"))).RunsView(runs, coordinators);
const views = { board, heat, tables, problem, ask, runs: list };

/** The view of an address that names none: a run that goes on elsewhere is watched. */
function usual() {
  const run = runs.get(read().run);
  return run && !run.small && run.status.state !== "complete" ? "runs" : "board";
}

/** The view of an address, and what tells it from others. */
function wanted() {
  const { view: name = usual(), run: id } = read();
  const run = runs.get(id);
  const complete = run && run.status.state === "complete";
  const kind = views[name] ? name : "board";
  if (kind === "runs") return { key: "runs", make: list };
  if (kind === "problem") return { key: "problem", make: problem };
  if (kind === "ask") return { key: `ask ${id} ${complete}`, make: () => ask(run, complete) };
  if (!run) return { key: "none", make: list };
  if (!complete) return { key: `wait ${id}`, make: () => new NotCompleteView(run) };
  if (kind !== "tables" && !run.ways) return { key: `no ${id}`, make: () => new NotWaysView() };
  return { key: `${kind} ${id}`, make: () => views[kind](run) };
}

async function problem() {
  const view = new (await load(import("./problem.js"))).ProblemView(runs);
  view.onrun = (run) => runs.set(run.id, run);
  return view;
}

/** Shows what the address says: another view, or the same with other parameters. */
async function show() {
  if (listed && runs.size && !runs.has(read().run)) return choose();
  drawHead();
  const want = wanted();
  if (want.key === shown.key) {
    if (shown.ready && shown.view.show) await shown.view.show();
    return undefined;
  }
  if (shown.view && shown.view.close) shown.view.close();
  const mine = (shown = { key: want.key, view: undefined, ready: false });
  const asked = location.hash;
  try {
    const view = await want.make();
    if (mine !== shown) return undefined; // another one was chosen meanwhile
    mine.view = view;
    main.replaceChildren(view.node);
    if (view.open) await view.open();
    mine.ready = true;
    if (asked !== location.hash && view.show && wanted().key === mine.key) await view.show(); // it changed meanwhile
  } catch (error) {
    if (mine === shown) main.replaceChildren(notice(error));
  }
  return undefined;
}

function drawHead() {
  const now = read();
  const view = now.view || usual();
  const list = [...runs.values()];
  const title = (run) => `${run.title} (${run.id})` + (run.status.state === "complete" ? "" : `: ${text.states[run.status.state] || run.status.state}`);
  const wanted = list.map((run) => run.id + title(run)).join();
  if (chooser.dataset.has !== wanted) {
    chooser.dataset.has = wanted;
    chooser.replaceChildren(...list.map((run) => el("option", { value: run.id }, title(run))));
  }
  chooser.value = now.run || "";
  const tabs = document.getElementById("views");
  const key = `${now.run} ${view}`;
  if (tabs.dataset.has !== key) tabs.replaceChildren(
    ...Object.entries(text.views).map(([name, label]) =>
      el("li", {}, el("a", { href: link({ run: now.run, view: name }), "aria-current": name === view ? "page" : undefined }, label))));
  tabs.dataset.has = key; // what is there stays, so that the focus does
  const run = runs.get(now.run);
  const lines = run && view !== "problem" && view !== "runs" ? run.problem || [] : [];
  document.getElementById("about").replaceChildren(...lines.map(({ name, text: what }) => el("div", {}, `${name}: ${what}`)));
  document.title = `${text.views[view] || ""}${run ? `: ${run.title}` : ""} - ${text.title}`;
}

function take(run) {
  const before = runs.get(run.id);
  runs.set(run.id, run);
  if (!listed) return;
  if (!before || before.status.state !== run.status.state) show();
  if (shown.view && shown.view.update) shown.view.update(run);
}

/** Takes what is known of the coordinators that were named. */
function takeCoordinators(list) {
  coordinators.splice(0, coordinators.length, ...list);
  if (shown.view && shown.view.updateCoordinators) shown.view.updateCoordinators();
}

async function begin() {
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  chooser.addEventListener("change", () => go({ run: chooser.value, view: read().view }));
  addEventListener("popstate", show);
  addEventListener("hashchange", show);
  addEventListener("route", show);
  // First, so that no change is missed between the list and the stream.
  watch(take, takeCoordinators, (lost) => {
    if (lost === away) return;
    away = lost;
    document.body.classList.toggle("away", lost);
    document.body.dataset.notice = lost ? text.lostServer : "";
  });
  try {
    const [list, elsewhere, rights] = await Promise.all([get("runs"), get("coordinators"), get("rights")]);
    document.body.classList.toggle("reader", !rights.trusted);
    if (coordinators.length === 0) takeCoordinators(elsewhere);
    for (const run of list) if (!runs.has(run.id)) runs.set(run.id, run); // the stream has newer ones
    listed = true;
  } catch (error) {
    main.replaceChildren(notice(error));
    return;
  }
  await choose();
}

/** Chooses a run where the address names none of those that are offered, and shows what it says. */
async function choose() {
  const { run, ...rest } = read();
  if (!runs.has(run) && runs.size) {
    const ready = [...runs.values()].find((r) => r.status.state === "complete" && r.ways);
    go({ ...rest, run: (ready || runs.values().next().value).id }, true);
  }
  if (!read().view && usual() !== "board") go({ ...read(), view: usual() }, true); // and stays when the run is complete
  await show();
}

begin();
