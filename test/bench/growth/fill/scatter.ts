/** 32 pseudo-random bits of a row number: the finalizer of MurmurHash3. Each `salt` gives another sequence. */
export function mix(row: number, salt: number): number {
  let bits = row + Math.imul(salt + 1, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * A shuffle of 0…size−1 that needs no memory. It lets rows with scattered keys be written in the order of their keys,
 * which is many times faster than in the order of their times.
 */
export class Permutation {
  readonly size: number;
  readonly #forward: number;
  readonly #backward: number;

  constructor(size: number) {
    this.size = size;
    let multiplier = Math.floor(size * 0.618) + 1;
    while (greatestCommonDivisor(multiplier, size) !== 1) multiplier += 1;
    this.#forward = multiplier % size;
    this.#backward = inverseOf(this.#forward, size);
  }

  /** The place of a row in the order of the keys. */
  placeOf(row: number): number {
    return (row * this.#forward) % this.size;
  }

  rowAt(place: number): number {
    return (place * this.#backward) % this.size;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** The x with `number * x % modulus = 1`. */
function inverseOf(number: number, modulus: number): number {
  let [remainder, nextRemainder] = [modulus, number];
  let [factor, nextFactor] = [0, 1];
  while (nextRemainder !== 0) {
    const quotient = Math.floor(remainder / nextRemainder);
    [remainder, nextRemainder] = [nextRemainder, remainder - quotient * nextRemainder];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return ((factor % modulus) + modulus) % modulus;
}
