import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { MovedFact } from './facts.ts';

const BLOCK = 32;

/** Many facts in little memory: most of each is as in the one before it. */
export class PackedFacts {
  readonly #blocks: Buffer[] = [];
  #open: MovedFact[] = [];
  /** The last one that was needed: the next fact is often beside it. */
  #unpacked: { nth: number; facts: readonly MovedFact[] } | null = null;

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
    const nth = Math.floor(place / BLOCK);
    const facts = nth === this.#blocks.length ? this.#open : this.#unpack(nth);
    return facts[place % BLOCK] as MovedFact;
  }

  #unpack(nth: number): readonly MovedFact[] {
    if (this.#unpacked?.nth !== nth) {
      const facts = JSON.parse(inflateRawSync(this.#blocks[nth] as Buffer).toString()) as MovedFact[];
      this.#unpacked = { nth, facts };
    }
    return this.#unpacked.facts;
  }
}
