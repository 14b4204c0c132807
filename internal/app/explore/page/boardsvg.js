import { svg } from "./dom.js";
import { neighbour } from "./game.js";
import { fraction } from "./number.js";
import { text } from "./text.js";

const pitch = 44;
const margin = 20; // above and on the left, for the names of rows and columns
const centre = (at) => ({ x: (at.column + 0.5) * pitch, y: (at.row + 0.5) * pitch });

/**
 * The board that is played on. It calls back: press(hole) for a click, a tap or Enter on a hole; drop(hole, to) when a
 * peg is drawn to another hole; let(hole) when Escape lays it back.
 */
export class PlayBoard {
  constructor(board, goal, { press, drop, letGo }) {
    this.board = board;
    this.goal = board.pegs(goal);
    this.here = board.holes[0];
    this.back = { press, drop, letGo };
    this.holes = board.holes.map((hole) => this.make(hole));
    const [width, height] = [board.width * pitch, board.height * pitch];
    const field = svg("rect", { width, height, class: "field", rx: 16 });
    const names = board.edges().map((edge) => svg("text", { x: centre(edge).x, y: centre(edge).y + 4, class: "edge-name" }, edge.name));
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.flying = svg("circle", { r: pitch * 0.36, class: "flying", visibility: "hidden" });
    this.node = svg("svg", {
      viewBox: `${-margin} ${-margin} ${width + margin + 2} ${height + margin + 2}`, class: "board", role: "group",
      "aria-label": text.boardName, "aria-describedby": "board-help", onkeydown: (e) => this.key(e),
      onpointermove: (e) => this.move(e), onpointerup: (e) => this.release(e), onpointercancel: () => this.ghost(),
    }, field, svg("g", { "aria-hidden": "true" }, names), this.holes.map((hole) => hole.group), this.arrows, this.flying);
  }

  make(hole) {
    const { x, y } = centre(hole);
    const circle = (radius, name) => svg("circle", { cx: x, cy: y, r: pitch * radius, class: name });
    const side = pitch * 0.96;
    const trail = svg("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 6, class: "trail" });
    const label = svg("text", { x, y: y + 4, "font-size": 10, class: "mark" });
    const group = svg("g", {
      role: "button", tabindex: hole === this.here ? 0 : -1, "data-hole": hole.label,
      onclick: () => { if (!this.dragged) this.press(hole); },
      onpointerdown: (e) => this.grab(e, hole), onfocus: () => this.focusOn(hole),
    }, trail, this.goal.includes(hole) && circle(0.47, "goal"), circle(0.36, "pit"), circle(0.36, "peg"), circle(0.43, "ring"), label);
    return { hole, group, label };
  }

  /** Moves the focus to the hole where it was last. */
  focus() {
    this.holes[this.here.number].group.focus({ preventScroll: true });
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
    if (!this.held || !this.board.has(this.position, this.held.hole)) return;
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
   * Shows a position. jumps lists what can be played: {jump, dead, ways, whole, brief}; chosen is the hole of the peg that
   * is taken up, hint a jump that is pointed out, last the one that led here.
   */
  show(position, jumps, { chosen, hint, last }) {
    this.position = position;
    for (const { hole, group, label } of this.holes) {
      const peg = this.board.has(position, hole);
      const from = jumps.filter((j) => j.jump.from === hole);
      const to = chosen && jumps.find((j) => j.jump.from === chosen && j.jump.to === hole);
      const marks = ["hole", peg && "full", from.length && (from.every((j) => j.dead) ? "losing" : "moving"),
        chosen === hole && "chosen", to && (to.dead ? "to-dead" : "to"), hint && (hint.from === hole || hint.to === hole) && "hint",
        last && (last.from === hole || last.to === hole) && "last"];
      group.setAttribute("class", marks.filter(Boolean).join(" "));
      group.setAttribute("aria-label", (to ? text.destination(hole.label, to.solutions) : text.hole(hole.label, peg, from.length)) +
        (this.goal.includes(hole) ? text.inGoal : ""));
      group.setAttribute("aria-pressed", chosen === hole);
      label.textContent = to ? to.brief : "";
      label.setAttribute("font-size", to && to.brief.length > 4 ? 8.5 : 10);
    }
    this.arrows.replaceChildren(...jumps.filter((j) => !chosen || j.jump.from === chosen || j.jump === hint).map((j) => this.arrow(j, chosen, hint)));
  }

  /** An arrow along a jump, the broader the more solutions go on with it, and the share of these beside its head. */
  arrow({ jump, dead, ways, whole, brief }, chosen, hint) {
    const [a, b] = [centre(jump.from), centre(jump.to)];
    const at = (t) => ({ x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t });
    const part = fraction(ways || 0, whole || 0);
    const [tail, neck, tip] = [at(0.12), at(0.8), at(0.88)];
    const [side, wide] = [{ x: (tip.y - neck.y), y: -(tip.x - neck.x) }, 0.7];
    const head = [[neck.x + side.x * wide, neck.y + side.y * wide], [tip.x, tip.y], [neck.x - side.x * wide, neck.y - side.y * wide]];
    // On the peg that is taken, in a place of its own for each direction.
    const label = { x: at(0.5).x, y: at(0.5).y + (a.y === b.y ? 14 : (b.x - a.x) * (b.y - a.y) < 0 ? 3 : -7) };
    return svg("g", { class: ["arrow", dead && "dead", hint === jump && "on"].filter(Boolean).join(" "), "data-arrow": jump.name },
      svg("path", { d: `M${tail.x} ${tail.y}L${neck.x} ${neck.y}`, "stroke-width": 1.5 + 4 * part }),
      svg("path", { d: `M${head.map((p) => p.join(" ")).join("L")}Z`, class: "head" }),
      !chosen && !dead && brief && svg("text", { ...label, class: "arrow-share" }, brief));
  }
}
