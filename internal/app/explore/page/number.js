// Exact numbers come as decimal strings, and stay exact: BigInt, or text.

/** 40861647040079968 as 40 861 647 040 079 968, with narrow blanks that do not break. */
export function grouped(digits) {
  return String(digits).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** The share part/whole in percent: exact when it has at most two decimals, otherwise rounded and marked with ≈. */
export function share(part, whole) {
  const p = BigInt(part);
  const w = BigInt(whole);
  if (w === 0n) return "";
  const scaled = p * 10000n;
  const exact = scaled % w === 0n;
  const rounded = (2n * scaled + w) / (2n * w);
  if (p > 0n && rounded === 0n) return "< 0.01 %";
  if (p < w && rounded === 10000n) return "> 99.99 %";
  const digits = String(rounded).padStart(3, "0");
  const decimals = digits.slice(-2).replace(/0+$/, "");
  const number = digits.slice(0, -2) + (exact ? decimals && "." + decimals : "." + digits.slice(-2));
  return `${exact ? "" : "≈ "}${number} %`;
}

/** The same, short enough for a hole: no decimals from ten percent on. */
export function brief(part, whole) {
  const p = BigInt(part);
  const w = BigInt(whole);
  if (p === 0n || w === 0n) return "0";
  const [unit, decimals] = p * 10n >= w ? [100n, 0] : [1000n, 1];
  const rounded = (2n * p * unit + w) / (2n * w);
  if (rounded === 0n) return "<0.1%";
  if (p < w && rounded === 100n && decimals === 0) return ">99%";
  const digits = String(rounded).padStart(decimals + 1, "0");
  const number = decimals ? `${digits.slice(0, -1)}.${digits.slice(-1)}` : digits;
  return `${(p * unit) % w === 0n ? "" : "≈"}${number}%`;
}

/** A count short enough for a hole: exact with up to six digits, of others the first two, 4.1e16. */
export function inHole(n) {
  const s = String(n);
  if (s.length <= 6) return grouped(s);
  const rounded = String((BigInt(s.slice(0, 3)) + 5n) / 10n);
  return `${rounded[0]}.${rounded[1]}e${s.length - 1 + rounded.length - 2}`;
}

/** The share part/whole as a number from 0 to 1, for lengths only. */
export function fraction(part, whole) {
  return BigInt(whole) === 0n ? 0 : Number((BigInt(part) * 1000n) / BigInt(whole)) / 1000;
}

/** Sorts exact numbers, the largest first. */
export function largestFirst(a, b) {
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? 1 : x > y ? -1 : 0;
}

/** The logarithm of a number that may have 39 digits, for lengths only. */
export function log10(digits) {
  const s = String(digits);
  const head = s.slice(0, 15);
  return Math.log10(Number(head)) + s.length - head.length;
}

/** A number below n, each equally likely: random bits are drawn until what they make is below n. */
export function below(n) {
  const bits = n.toString(2).length;
  const words = new Uint32Array(Math.ceil(bits / 32));
  for (;;) {
    crypto.getRandomValues(words);
    let x = 0n;
    for (const word of words) x = (x << 32n) | BigInt(word);
    x >>= BigInt(words.length * 32 - bits);
    if (x < n) return x;
  }
}
