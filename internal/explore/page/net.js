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

const kept = new Map(); // answers about complete runs do not change
const most = 600;

/** The answer to a question about a run, kept for the next time. */
export async function ask(run, question, parameters = {}, signal = undefined) {
  const path = address(`runs/${run}/answer/${question}`, parameters);
  const have = kept.get(path);
  kept.delete(path);
  const answer = have || (await get(path, signal));
  kept.set(path, answer);
  if (kept.size > most) kept.delete(kept.keys().next().value);
  return answer;
}

/** Calls fn with every run that changes, and once with each at first. lost is told whether the server is away. */
export function watch(fn, lost) {
  const source = new EventSource("events");
  source.addEventListener("run", (event) => fn(JSON.parse(event.data)));
  source.addEventListener("open", () => lost(false));
  source.addEventListener("error", () => lost(true)); // the browser tries again by itself
  return () => source.close();
}
