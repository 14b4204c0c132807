import { el, say } from "./dom.js";
import { ask, address } from "./net.js";
import { grouped, largestFirst, share } from "./number.js";
import { picture } from "./picture.js";
import { go, read } from "./route.js";
import { text } from "./text.js";

/** Where the pegs are over all solutions, by a slider over the jumps made. */
export class HeatView {
  constructor(run) {
    this.run = run.id;
    this.node = el("section", { class: "heat" }, el("p", {}, text.loading));
  }

  async open() {
    const { figures, document: { shares } } = await ask(this.run, "heatmap");
    this.figures = figures;
    this.shares = shares;
    this.legend = el("ul", { class: "scale", "aria-label": text.heatScale });
    this.title = el("h2", { "aria-live": "polite" });
    this.exact = el("p", { class: "exact" }, text.heatPoint);
    this.board = el("div", { class: "heat-board" });
    this.slider = el("input", { type: "range", min: 0, max: this.figures.length - 1, id: "after",
      oninput: () => go({ ...read(), after: this.slider.value }, true) });
    const file = (output) => address(`runs/${this.run}/v1/peg/heatmap`, { output });
    this.node.replaceChildren(el("p", {}, text.heatHelp), this.title,
      el("label", { for: "after" }, text.heatSlider), this.slider, this.board, this.legend, this.exact,
      el("p", { class: "downloads" }, text.downloads, " ",
        ["csv", "jsonl", "parquet", "svg", "json"].map((kind) => [el("a", { href: file(kind), download: `heatmap.${kind}` }, kind), " "])));
    this.show();
  }

  /** The shades of a board with their exact numbers, at most seven of them, the largest first. */
  drawLegend(cells, after) {
    const numbers = this.shares.slice(after * cells.length, (after + 1) * cells.length);
    const shades = [...new Map(cells.map((cell, i) => [numbers[i].solutions, { cell, ...numbers[i] }])).values()]
      .sort((a, b) => largestFirst(a.solutions, b.solutions));
    const some = new Set(Array.from({ length: 7 }, (_, k) => shades[Math.round((k * (shades.length - 1)) / 6)]));
    this.legend.replaceChildren(...[...some].map(({ cell, solutions, all_solutions: all }) => el("li", {},
      picture([{ circle: true, row: 0, column: 0, fill: cell.fill, shade: cell.shade }], ""), `${grouped(solutions)} (${share(solutions, all)})`)));
  }

  show() {
    const after = Math.min(this.figures.length - 1, Math.max(0, Number.parseInt(read().after || "0", 10) || 0));
    const figure = this.figures[after];
    this.slider.value = after;
    this.slider.setAttribute("aria-valuetext", figure.title);
    this.title.textContent = figure.title;
    this.drawLegend(figure.board, after);
    const tell = (cell) => { this.exact.textContent = cell.detail; };
    this.board.replaceChildren(picture(figure.board, figure.title, (cell) => ({
      tabindex: 0, role: "img", "aria-label": cell.detail, onpointerenter: () => tell(cell),
      onfocus: () => { tell(cell); say(cell.detail); },
    })));
  }
}
