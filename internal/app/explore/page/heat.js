import { el, say } from "./dom.js";
import { ask, address } from "./net.js";
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
    this.figures = (await ask(this.run, "heatmap")).figures;
    this.title = el("h2", { "aria-live": "polite" });
    this.exact = el("p", { class: "exact" }, text.heatPoint);
    this.board = el("div", { class: "heat-board" });
    this.slider = el("input", { type: "range", min: 0, max: this.figures.length - 1, id: "after",
      oninput: () => go({ ...read(), after: this.slider.value }, true) });
    const file = (output) => address(`runs/${this.run}/v1/peg/heatmap`, { output });
    this.node.replaceChildren(el("p", {}, text.heatHelp), this.title,
      el("label", { for: "after" }, text.heatSlider), this.slider, this.board, this.exact,
      el("p", { class: "downloads" }, text.downloads, " ",
        ["csv", "jsonl", "parquet", "svg", "json"].map((kind) => [el("a", { href: file(kind), download: `heatmap.${kind}` }, kind), " "])));
    this.show();
  }

  show() {
    const after = Math.min(this.figures.length - 1, Math.max(0, Number.parseInt(read().after || "0", 10) || 0));
    const figure = this.figures[after];
    this.slider.value = after;
    this.slider.setAttribute("aria-valuetext", figure.title);
    this.title.textContent = figure.title;
    const tell = (cell) => { this.exact.textContent = cell.detail; };
    this.board.replaceChildren(picture(figure.board, figure.title, (cell) => ({
      tabindex: 0, role: "img", "aria-label": cell.detail, onpointerenter: () => tell(cell),
      onfocus: () => { tell(cell); say(cell.detail); },
    })));
  }
}
