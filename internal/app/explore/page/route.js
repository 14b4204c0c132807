// What is shown stands in the address after #, as parameters: run, view, and those of the view. So a link, the back
// button and a reload show the same.

/**
 * The least time between two entries of the history, in milliseconds: browsers refuse more than 100 or 200 in ten
 * seconds, and a click must not be lost for that.
 */
export const between = 120;

export function read() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function write(parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== "") query.set(name, value);
  return "#" + query.toString().replaceAll("%2F", "/");
}

/** The address of a view, for links. */
export function link(parameters) {
  return write(parameters);
}

/** The same as a whole URL, to be copied. */
export function url(parameters) {
  return new URL(link(parameters), location.href).href;
}

/** Goes there: a new entry of the history, unless it replaces the present one. It returns false for where we are. */
export function go(parameters, replace = false) {
  const to = write(parameters);
  if (to === location.hash) return false;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  dispatchEvent(new Event("route"));
  return true;
}
