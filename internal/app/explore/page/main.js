import { el, keepClicks, notice } from "./dom.js";
import { address, boardFlags, get, load, post, watch } from "./net.js";
import { go, link, read } from "./route.js";
import { note } from "./pace.js";
import { text } from "./text.js";
import { best, viewsOf } from "./views.js";
import { NotCompleteView, NotWaysView, UnknownView } from "./waiting.js";

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
const play = async (run) => new (await load(import("./play.js"))).PlayView(run);
const ask = async (run, complete) => new (await load(import("./ask.js"))).AskView(run, complete);
const problem = async () => new (await load(import("./problem.js"))).ProblemView(runs);
const result = async (run) => new (await load(import("./result.js"))).ResultView(run);
const list = async () => new (await load(import("./runs.js"))).RunsView(runs, coordinators);
const views = { board, heat, result, tables, problem, play, ask, runs: list };

/** The view of an address that names none, or one that is not there. */
const usual = () => best(runs.get(read().run));

/** The view of an address, and what tells it from others. */
function wanted() {
  const { view: named, run: id } = read();
  const name = named || usual();
  const run = runs.get(id);
  const complete = run && run.status.state === "complete";
  const kind = views[name] ? name : usual();
  if (id && !run && listed && !["runs", "problem", "play", "ask"].includes(named)) return { key: `unknown ${id}`, make: () => new UnknownView(id, runs) };
  if (kind === "runs") return { key: "runs", make: list };
  if (kind === "problem") return { key: "problem", make: problem };
  if (kind === "play") return { key: "play", make: () => play(run) };
  if (kind === "ask") return { key: `ask ${id} ${complete}`, make: () => ask(run, complete) };
  if (!run) return { key: "none", make: list };
  if (!complete) return { key: `wait ${id}`, make: () => new NotCompleteView(run) };
  if (!viewsOf(run).includes(kind)) return { key: `no ${id}`, make: () => new NotWaysView(run) };
  return { key: `${kind} ${id}`, make: () => views[kind](run) };
}

/** Shows what the address says: another view, or the same with other parameters. */
async function show() {
  if (listed && runs.size && !read().run) return choose();
  drawHead();
  const want = wanted();
  if (want.key === shown.key) {
    if (!shown.ready) shown.again = true;
    else if (shown.view.show) await shown.view.show();
    return undefined;
  }
  if (shown.view && shown.view.close) shown.view.close();
  const mine = (shown = { key: want.key, view: undefined, ready: false, again: false });
  main.replaceChildren(el("p", {}, text.loading));
  try {
    const view = await want.make();
    if (mine !== shown) return undefined; // another one was chosen meanwhile
    mine.view = view;
    main.replaceChildren(view.node);
    if (view.open) await view.open();
    mine.ready = true;
    if (mine.again && view.show && wanted().key === mine.key) await view.show(); // the address or a run changed meanwhile
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
  const run = runs.get(now.run);
  const key = `${now.run} ${view} ${viewsOf(run)}`;
  if (tabs.dataset.has !== key) tabs.replaceChildren(
    ...viewsOf(run).map((name) =>
      el("li", {}, el("a", { href: link({ run: now.run, view: name }), "aria-current": name === view ? "page" : undefined }, text.views[name]))));
  tabs.dataset.has = key; // what is there stays, so that the focus does
  const lines = run && !["problem", "play", "runs", "result"].includes(view) ? run.problem || [] : [];
  document.getElementById("about").replaceChildren(...lines.map(({ name, text: what }) => el("div", {}, `${name}: ${what}`)));
  document.title = `${text.views[view] || ""}${run ? `: ${run.title}` : ""} - ${text.title}`;
}

function take(run) {
  const before = runs.get(run.id);
  runs.set(run.id, run);
  note(run);
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
  keepClicks();
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

/** Goes from the address of a problem, which names no run, to the run that has its numbers. */
async function resolve() {
  const { board, start, goal, at, game } = read();
  const said = (await get(address("puzzles/peg/read", { arg: start, ...boardFlags(board), start, goal }))).document;
  const same = (run, part) => (run.problem || []).some((l) => l.name === part && l.text.startsWith(`${said[part]},`));
  const run = [...runs.values()].find((r) => r.ways && r.status.state === "complete" && r.board === board && same(r, "start") && same(r, "goal")) ||
    await post(address("problems", { board, start: said.start, goal: said.goal }));
  runs.set(run.id, run);
  go({ run: run.id, view: "board", at, game }, true);
}

/** Chooses a run where the address names none of those that are offered, and shows what it says. */
async function choose() {
  if (read().board && !runs.has(read().run)) {
    try {
      await resolve();
    } catch (error) {
      drawHead();
      main.replaceChildren(notice(error));
      return;
    }
  }
  const { run, ...rest } = read();
  if (!run && runs.size) {
    const all = [...runs.values()];
    const ready = all.find((r) => r.status.state === "complete" && r.ways) || all.find((r) => !r.small) || all[0];
    go({ ...rest, run: ready.id }, true);
  }
  if (!read().view && usual() !== "board" && runs.has(read().run)) go({ ...read(), view: usual() }, true); // and stays when the run is complete
  await show();
}

begin();
