import { svg } from "./dom.js";
import { has, neighbour } from "./game.js";
import { text } from "./text.js";

const pitch = 44;

/**
 * The board that is played on. It calls back: press(hole) for a click, a tap or Enter on a hole; drop(hole, to) when a
 * peg is drawn to another hole; let(hole) when Escape lays it back.
 */
export class PlayBoard {
  constructor(board, { press, drop, letGo }) {
    this.board = board;
    this.here = board.holes[0];
    this.back = { press, drop, letGo };
    this.holes = board.holes.map((hole) => this.make(hole));
    const field = svg("rect", { x: 0, y: 0, width: board.width * pitch, height: board.height * pitch, class: "field", rx: 16 });
    this.node = svg("svg", {
      viewBox: `0 0 ${board.width * pitch} ${board.height * pitch}`, class: "board", role: "group",
      "aria-label": text.boardName, "aria-describedby": "board-help", onkeydown: (e) => this.key(e),
      onpointermove: (e) => this.move(e), onpointerup: (e) => this.release(e), onpointercancel: () => this.ghost(),
    }, field, this.holes.map((hole) => hole.group));
    this.flying = svg("circle", { r: pitch * 0.36, class: "flying", visibility: "hidden" });
    this.node.append(this.flying);
  }

  make(hole) {
    const x = (hole.column + 0.5) * pitch;
    const y = (hole.row + 0.5) * pitch;
    const peg = svg("circle", { cx: x, cy: y, r: pitch * 0.36, class: "peg" });
    const ring = svg("circle", { cx: x, cy: y, r: pitch * 0.43, class: "ring" });
    const label = svg("text", { x, y: y + 4, "font-size": 10, class: "mark" });
    const group = svg("g", {
      role: "button", tabindex: hole === this.here ? 0 : -1, "data-hole": hole.label,
      onclick: () => { if (!this.dragged) this.press(hole); },
      onpointerdown: (e) => this.grab(e, hole), onfocus: () => this.focusOn(hole),
    }, svg("circle", { cx: x, cy: y, r: pitch * 0.36, class: "pit" }), peg, ring, label);
    return { hole, group, peg, label };
  }

  press(hole) {
    this.focusOn(hole);
    this.back.press(hole);
  }

  focusOn(hole) {
    this.holes[this.here.number].group.setAttribute("tabindex", -1);
    this.here = hole;
    this.holes[hole.number].group.setAttribute("tabindex", 0);
  }

  key(event) {
    if (event.key.startsWith("Arrow")) {
      const next = neighbour(this.board, this.here, event.key);
      if (next) {
        this.focusOn(next);
        this.holes[next.number].group.focus();
      }
    } else if (event.key === "Enter" || event.key === " ") {
      this.back.press(this.here);
    } else if (event.key === "Escape") {
      this.back.letGo();
    } else return;
    event.preventDefault();
  }

  // A peg is drawn with mouse or finger once the pointer has left its hole a little.
  grab(event, hole) {
    this.dragged = false;
    this.held = event.button === 0 ? { hole, x: event.clientX, y: event.clientY } : undefined;
  }

  move(event) {
    if (!this.held || !has(this.position, this.held.hole.number)) return;
    if (!this.dragged && Math.hypot(event.clientX - this.held.x, event.clientY - this.held.y) < 8) return;
    if (!this.dragged) {
      this.dragged = true;
      this.node.setPointerCapture(event.pointerId);
      this.back.drop(this.held.hole);
    }
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.node.getScreenCTM().inverse());
    this.ghost(at);
  }

  release(event) {
    const held = this.held;
    this.held = undefined;
    if (!held || !this.dragged) return;
    this.ghost();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.node.getScreenCTM().inverse());
    const near = (h) => Math.hypot((h.column + 0.5) * pitch - at.x, (h.row + 0.5) * pitch - at.y);
    const to = this.board.holes.find((h) => near(h) < pitch / 2);
    this.back.drop(held.hole, to);
    setTimeout(() => { this.dragged = false; }); // after the click that follows
  }

  ghost(at) {
    this.flying.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return;
    this.flying.setAttribute("cx", at.x);
    this.flying.setAttribute("cy", at.y);
  }

  /**
   * Shows a position. jumps lists what can be played: {jump, dead, share}; chosen is the hole of the peg that is taken
   * up, hint a jump that is pointed out.
   */
  show(position, jumps, chosen, hint) {
    this.position = position;
    for (const { hole, group, label } of this.holes) {
      const peg = has(position, hole.number);
      const from = jumps.filter((j) => j.jump.from === hole);
      const to = chosen && jumps.find((j) => j.jump.from === chosen && j.jump.to === hole);
      const marks = ["hole", peg && "full", from.length && (from.every((j) => j.dead) ? "losing" : "moving"),
        chosen === hole && "chosen", to && (to.dead ? "to-dead" : "to"), hint && (hint.from === hole || hint.to === hole) && "hint"];
      group.setAttribute("class", marks.filter(Boolean).join(" "));
      group.setAttribute("aria-label", to ? text.destination(hole.label, to.solutions) : text.hole(hole.label, peg, from.length));
      group.setAttribute("aria-pressed", chosen === hole);
      label.textContent = to ? to.brief : "";
      label.setAttribute("font-size", to && to.brief.length > 4 ? 8.5 : 10);
    }
  }
}
