// Elements made in one call. Text is always text: nothing is ever parsed as HTML.
const svgNames = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}

/** An HTML element with attributes, listeners (onclick: function) and children. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same of SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNames, name), attributes, children);
}

/** Puts children in place of those of a node. */
export function replace(node, ...children) {
  node.replaceChildren();
  fill(node, {}, children);
}

/** Tells readers of screens what has changed. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** A notice of what went wrong, and what to do. */
export function notice(error) {
  return el("div", { class: "notice", role: "alert" }, el("p", {}, error.message), error.hint && el("p", {}, error.hint));
}

/** Arrow keys move the focus along a list of elements, of which one can be reached by Tab. */
export function along(event, list) {
  const way = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  const at = list.indexOf(document.activeElement);
  if (!way || at < 0) return;
  event.preventDefault();
  const next = list[Math.min(list.length - 1, Math.max(0, at + way))];
  list[at].setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
}

/** What a part of a picture has that is a button: a click, Enter or the blank presses it. */
export const asButton = (press) => ({
  role: "button", onclick: press, onkeydown: (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  },
});

/** The part of the page that a pointer is on, if it can be pressed, and what tells it from others when it is drawn anew. */
const pressable = (event) => event.target.closest("button, a, [role=button]");
const sign = (node) => Object.entries(node.dataset).join() || node.textContent;

/** Keeps clicks from getting lost: what is drawn anew between press and release would get none from the browser. */
export function keepClicks() {
  let down;
  addEventListener("pointerdown", (event) => {
    down = event.button === 0 ? pressable(event) : undefined;
  }, true);
  addEventListener("pointerup", (event) => {
    const now = pressable(event);
    if (now && down && !down.isConnected && sign(now) === sign(down)) now.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    down = undefined;
  }, true);
}
