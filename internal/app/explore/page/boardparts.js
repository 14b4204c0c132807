import { el } from "./dom.js";
import { fraction, grouped, largestFirst, share } from "./number.js";
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

/** A cell of a table with a bar behind it, as long as the share part/whole. */
export function barCell(part, whole, content) {
  const cell = el("td", { class: "number bar-cell" }, content);
  cell.style.setProperty("--share", fraction(part, whole));
  return cell;
}

/** The jumps that can be made, the one with the most solutions first; in the order of the holes until that is known. */
export function jumpTable(jumps, choose, point) {
  if (jumps.length === 0) return el("p", { class: "jumps" }, text.noJumps);
  const rows = jumps.toSorted((a, b) => largestFirst(a.ways || 0, b.ways || 0)).map((j) =>
    el("tr", { class: j.dead ? "dead" : "", "data-jump": j.name, "data-solutions": j.exact, "data-ways": j.ways,
      onpointerenter: () => point(j), onpointerleave: () => point(undefined) },
      el("th", { scope: "row" }, el("button", { type: "button", onclick: () => choose(j), onfocus: () => point(j) }, j.name)),
      el("td", { class: "number" }, j.dead ? "0" : j.solutions),
      barCell(j.ways || 0, j.whole || 0, j.dead ? el("span", { title: text.dead }, "dead") : j.share)));
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
