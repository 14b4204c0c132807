// Which views a run can fill.

/** The views of a run, the best first. Of no run, those that need none. */
export function viewsOf(run) {
  if (!run) return ["runs", "play", "ask"];
  const list = [];
  if (run.ways) list.push("board", "heat");
  list.push("result", "tables");
  if (run.puzzle === "peg") list.push("problem");
  return [...list, "play", "ask", "runs"];
}

/** The view that a run is first shown in: one that goes on is watched. */
export function best(run) {
  return run && !run.small && run.status.state !== "complete" ? "runs" : viewsOf(run)[0];
}
