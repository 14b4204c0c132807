import { el } from "./dom.js";
import { fraction, grouped, share } from "./number.js";
import { text } from "./text.js";

/** What is known of a position; said is undefined until the server has told. The rows are always the same. */
export function factsOf(said) {
  const row = (name, value) => [el("dt", {}, text.facts[name]), el("dd", { "data-fact": name }, value ?? "")];
  const number = (value) => value && grouped(value);
  return el("dl", { class: "facts" },
    row("solutions", number(said?.solutions)),
    row("share", said?.solutions && share(said.solutions, said.all_solutions)),
    row("jumps", said?.jumps), row("pegs", said?.pegs),
    row("paths", number(said?.paths)), row("ways", number(said?.ways)),
    row("all", number(said?.all_solutions)));
}

/** The jumps that can be made, the one with the most solutions first; in the order of the holes until that is known. */
export function jumpTable(jumps, choose, point) {
  if (jumps.length === 0) return el("p", { class: "jumps" }, text.noJumps);
  const order = jumps.toSorted((a, b) => (BigInt(a.ways || 0) < BigInt(b.ways || 0) ? 1 : BigInt(a.ways || 0) > BigInt(b.ways || 0) ? -1 : 0));
  const rows = order.map((j) => {
    const bar = el("td", { class: "number bar-cell" }, j.dead ? el("span", { title: text.dead }, "dead") : j.share);
    bar.style.setProperty("--share", fraction(j.ways || 0, j.whole || 0));
    return el("tr", { class: j.dead ? "dead" : "", "data-jump": j.name, "data-solutions": j.exact, "data-ways": j.ways,
      onpointerenter: () => point(j), onpointerleave: () => point(undefined) },
      el("th", { scope: "row" }, el("button", { type: "button", onclick: () => choose(j), onfocus: () => point(j) }, j.name)),
      el("td", { class: "number" }, j.dead ? "0" : j.solutions), bar);
  });
  return el("table", { class: "jumps" }, el("caption", {}, text.jumps),
    el("thead", {}, el("tr", {}, [text.jump, text.solutions, text.share].map((t) => el("th", { scope: "col" }, t)))),
    el("tbody", {}, rows));
}

/** The game so far: after which jump to go back to. */
export function gameList(game, goTo) {
  return el("section", { class: "game", "aria-label": text.game }, el("h2", {}, text.game),
    el("ol", {},
      el("li", {}, el("button", { type: "button", "aria-current": game.length === 0 ? "step" : undefined, onclick: () => goTo(0) }, text.start)),
      game.map((name, i) =>
        el("li", {}, el("button", { type: "button", "aria-current": i === game.length - 1 ? "step" : undefined,
          onclick: () => goTo(i + 1) }, name)))));
}
