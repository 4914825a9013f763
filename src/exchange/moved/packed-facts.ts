import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { MovedFact } from './facts.ts';

const BLOCK = 32;

/** Many facts in little memory: most of each is as in the one before it. */
export class PackedFacts {
  readonly #blocks: Buffer[] = [];
  #open: MovedFact[] = [];

  get length(): number {
    return this.#blocks.length * BLOCK + this.#open.length;
  }

  /** Returns the place of the fact, from 0. */
  add(fact: MovedFact): number {
    const place = this.length;
    this.#open.push(fact);
    if (this.#open.length === BLOCK) {
      this.#blocks.push(deflateRawSync(JSON.stringify(this.#open)));
      this.#open = [];
    }
    return place;
  }

  at(place: number): MovedFact {
    const block = this.#blocks[Math.floor(place / BLOCK)];
    const facts = block === undefined ? this.#open : (JSON.parse(inflateRawSync(block).toString()) as MovedFact[]);
    return facts[place % BLOCK] as MovedFact;
  }
}
