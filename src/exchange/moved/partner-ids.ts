import { names } from './fact-names.ts';
import type { MovedPartner } from './facts.ts';

/**
 * Which ids of a source may name one partner here: those with one address, in whichever program, and those of a partner who
 * was here before, whose address at the source may have changed since.
 */
export class PartnerIds {
  readonly #marks = new Map<string, string[]>();
  readonly #ids = new Map<string, string[]>();

  /** @param knownId the partner, if they were here before */
  add({ id, email }: MovedPartner, knownId?: string): void {
    for (const mark of [names.address(email), ...(knownId === undefined ? [] : [names.known(knownId)])]) {
      addTo(this.#marks, id, mark);
      addTo(this.#ids, mark, id);
    }
  }

  /** The id, and all others that may name the same partner. */
  alike(id: string): string[] {
    const marks = this.#marks.get(id) ?? [];
    return [...new Set([id, ...marks.flatMap((mark) => this.#ids.get(mark) ?? [])])];
  }
}

function addTo(map: Map<string, string[]>, key: string, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else if (!values.includes(value)) values.push(value);
}
