import { text } from "./text.js";
import { grouped } from "./number.js";

/** A name of a program as people write it: dead_positions, dead positions. */
export const words = (name) => String(name).replaceAll("_", " ");

/** The digits of an exponent. */
export const superscript = (n) => String(n).replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

/** A size in bytes with three digits: 561636283 as 536 MiB. */
export function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let n = Number(bytes);
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(n >= 10 ? 1 : 2)} ${units[unit]}`;
}

/** A time in seconds, rounded: 0.4 s, 12 s, 3 min, 5 h. */
export function duration(seconds) {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(seconds < 1 ? 2 : 1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** A value of a table or a fact: whole numbers in groups. */
export const shown = (value) => (/^\d+$/.test(value) ? grouped(value) : value);

/** The seconds from one time to another. */
export const seconds = (from, to) => (Date.parse(to) - Date.parse(from)) / 1000;

/** Why a run has failed, and what to do. */
export const failure = ({ error, hint }) => [error, hint].filter(Boolean).join("; ");

/** The time that a run still takes. */
export function timeLeft({ low, high }) {
  return text.left(duration(low), duration(high));
}
