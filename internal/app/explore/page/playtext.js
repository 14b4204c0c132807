// The texts of the play view, which come with it.
export const said = {
  help: "Press a part of the picture, and where it goes. Arrow keys move between the parts, Enter presses, Escape lays back. " +
    "U undoes, R redoes, H shows a best move, N begins a new game, P has the program move.",
  newGame: "New game",
  program: "Program moves",
  replies: "the program replies",
  worth: "show what moves are worth",
  board: "Game",
  move: "move",
  moves: "Moves",
  noMoves: "No move can be made.",
  over: "The game is over.",
  hinted: (name, worth) => `${name} is as good as any: ${worth}`,
  noHint: "no move leads to the aim from here",
  chosen: (title) => `${title}: chosen`,
  cannot: (title) => `${title}: no move begins there`,
  noPair: (first, second) => `${first}, then ${second}: that is no move`,
  count: (title, n) => `${title}${n ? `, ${n} ${n === 1 ? "move" : "moves"}` : ""}`,
  here: (title) => `${title}, makes a move`,
  made: (name, worth) => `${name}${worth && `: ${worth}`}`,
  replied: (name) => `the program: ${name}`,
  position: "Position",
  line: "Moves made",
  lineHelp: "Moves one after the other, as they stand in the list. They are checked step by step, from the beginning of the game.",
  show: "Show",
  playLine: "Play them",
  stopped: (n, name) => `Step ${n}, ${name}, cannot be played.`,
  unsaid: (name) => `the address has no move ${name} at this place`,
  /** What a new game begins with, by its puzzle. */
  begin: {
    tiles: { SIZE: "4x4" }, baseball: { BASES: "5" }, babylone: { GAME: "3x3", moves: "2" }, mousetrap: { CARDS: "8" },
  },
};
