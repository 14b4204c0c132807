import { text } from "./text.js";

/** What the server refuses, with its hint. */
export class Refusal extends Error {
  constructor(said) {
    super(said.setting ? `${said.setting}: ${said.error}` : said.error);
    this.hint = said.hint || "";
  }
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (cause) {
    if (cause.name === "AbortError") throw cause;
    throw new Refusal({ error: text.away, hint: text.awayHint });
  }
  const type = response.headers.get("Content-Type") || "";
  const body = type.startsWith("application/json") ? await response.json() : { error: `${response.status}` };
  if (!response.ok) throw new Refusal(body);
  return body;
}

/** Code of the page that comes late. It is not there any more when another version of the program has been started. */
export async function load(code) {
  try {
    return await code;
  } catch {
    throw new Refusal({ error: text.codeAway, hint: text.codeAwayHint });
  }
}

/** JSON of a path; signal aborts. */
export function get(path, signal) {
  return request(path, { signal });
}

export function post(path) {
  return request(path, { method: "POST" });
}

/** An address with parameters, each a text or a list of texts. */
export function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined && one !== "") query.append(name, one);
  }
  const end = query.toString();
  return end ? `${path}?${end}` : path;
}

/** The flags of a question that name a board: its name, or lattice, drawing and rule of one that a config draws. */
export function boardFlags(board) {
  const [lattice, drawing, ...rule] = board.split(" ");
  return drawing ? { board: drawing, lattice, rule: rule.join(" ") } : { board };
}

const kept = new Map(); // what complete runs say, and answers that need no run, do not change
const most = 600;

/** What a path of such an answer says, kept for the next time. */
export async function once(path, signal = undefined) {
  const have = kept.get(path);
  const said = have || (await get(path, signal));
  kept.delete(path);
  kept.set(path, said);
  if (kept.size > most) kept.delete(kept.keys().next().value);
  return said;
}

/** The path of a question about a run. */
export const about = (run, question, parameters = {}) => address(`runs/${run}/answer/${question}`, parameters);

/** What a path says, if that is kept; undefined for none. */
export function known(path) {
  return kept.get(path);
}

/** The answer to a question about a run, kept for the next time. */
export function ask(run, question, parameters = {}, signal = undefined) {
  return once(about(run, question, parameters), signal);
}

/** How long to wait before a stream that the server has refused is opened again, in milliseconds. */
const again = 2000;

/**
 * Calls fn with every run that changes, others with the news of coordinators elsewhere, and lost with whether the server
 * is away. A browser has six connections to a server, for all its pages together, and a stream takes one for good: so one
 * page has the stream, and tells the others. The page that has the lock has the stream; when it goes, another one gets
 * both.
 */
export function watch(fn, others, lost) {
  const channel = new BroadcastChannel("events");
  const take = ({ run, coordinators, away }) => (run ? fn(run) : coordinators ? others(coordinators) : lost(away));
  channel.onmessage = (event) => take(event.data);
  const tell = (told) => {
    channel.postMessage(told);
    take(told);
  };
  const stream = () => {
    const source = new EventSource("events");
    source.addEventListener("run", (event) => tell({ run: JSON.parse(event.data) }));
    source.addEventListener("coordinators", (event) => tell({ coordinators: JSON.parse(event.data) }));
    source.addEventListener("open", () => tell({ away: false }));
    source.addEventListener("error", () => {
      tell({ away: true });
      // The browser tries again by itself, but not after a refusal.
      if (source.readyState === EventSource.CLOSED) setTimeout(stream, again);
    });
  };
  if (!navigator.locks) return stream(); // a page over HTTP from another machine
  return navigator.locks.request("events", () => {
    stream();
    return new Promise(() => {}); // held as long as the page is there
  });
}
