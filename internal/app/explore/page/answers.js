import { known, once } from "./net.js";

/**
 * What the server says of positions. One position is asked for at a time: that which is shown, and then those that can come
 * next, so that most are known before they are wanted. What is asked for another position is given up.
 */
export class Answers {
  /** path(position) is the address of the question about a position. */
  constructor(path) {
    this.path = path;
    this.given = new Map(); // by position
  }

  /** Takes an answer that was asked for by another name of its position. */
  give(answer) {
    this.given.set(answer.document.position, answer);
  }

  /** What is known of a position already. */
  known(position) {
    return this.given.get(position) || known(this.path(position));
  }

  /** The answer about a position; undefined when another one was asked for meanwhile. */
  of(position) {
    this.list = undefined;
    return this.request(position);
  }

  request(position) {
    if (this.asked?.position !== position || this.asked.over) {
      this.asked?.control.abort();
      const control = new AbortController();
      const asked = { position, control };
      asked.answer = once(this.path(position), control.signal).catch((error) => {
        if (error.name !== "AbortError") throw error;
      }).finally(() => { asked.over = true; });
      this.asked = asked;
    }
    return this.asked.answer;
  }

  /** Asks for positions that may be wanted next, in their order, until another one is asked for. */
  async ahead(list) {
    this.list = list;
    for (const position of list) {
      if (this.list !== list) return;
      try {
        if (!this.known(position)) await this.request(position);
      } catch {
        return; // it is told when the position is wanted
      }
    }
  }

  /** Gives up what is asked for. */
  stop() {
    this.list = undefined;
    this.asked?.control.abort();
  }
}
