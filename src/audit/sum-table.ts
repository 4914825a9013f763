/** Above all days that a time can have. */
const DAYS = 100_000_001;
/** Days until the year 2059, each with a second one at most so much later, are one small integer, which takes least. */
const SMALL_DAYS = 0x8000;
const SMALL_SPAN = 0x1_0000;
const LARGE = 0x1_0000_0000;

/** What a sum is of: texts may be empty, and days are counted since 1970. */
export interface SumKey {
  owner: string;
  part: string;
  currency: string;
  day: number;
  /** The same as `day` where there is none. */
  dueDay: number;
}

type PlacesByDays = Map<number, number>;

/**
 * Adds up amounts in columns, exactly and by key. Both sides of a comparison are added, one of them negated: what agrees
 * comes to zero. A key takes some 80 bytes.
 */
export class SumTable {
  readonly #columns: number;
  readonly #owners = new Map<string, Map<string, Map<string, PlacesByDays>>>();
  #sums = new Float64Array(1_024);
  #end = 0;

  /** @param columns how many sums each key has */
  constructor(columns: number) {
    this.#columns = columns;
  }

  /** @param amounts of the first columns, in their order */
  add(key: SumKey, ...amounts: readonly number[]): void {
    const place = this.#placeOf(key);
    for (let column = 0; column < amounts.length; column += 1) {
      this.#sums[place + column] = (this.#sums[place + column] as number) + (amounts[column] as number);
    }
  }

  /** The owners and days of sums that are not zero; a column is at `sums[column]`. */
  *differences(): Generator<{ owner: string; day: number; sums: Float64Array }> {
    for (const [owner, parts] of this.#owners) {
      for (const byDays of [...parts.values()].flatMap((currencies) => [...currencies.values()])) {
        for (const [days, place] of byDays) {
          const sums = this.#sums.subarray(place, place + this.#columns);
          if (sums.some((sum) => sum !== 0)) yield { owner, day: dayOf(days), sums };
        }
      }
    }
  }

  #placeOf({ owner, part, currency, day, dueDay }: SumKey): number {
    const byDays = childOf(childOf(childOf(this.#owners, owner), part), currency);
    const days = numberOf(day, dueDay);
    const known = byDays.get(days);
    if (known !== undefined) return known;
    const place = this.#end;
    this.#end += this.#columns;
    if (this.#end > this.#sums.length) this.#grow();
    byDays.set(days, place);
    return place;
  }

  #grow(): void {
    const sums = new Float64Array(2 * this.#sums.length);
    sums.set(this.#sums);
    this.#sums = sums;
  }
}

function numberOf(day: number, dueDay: number): number {
  const span = dueDay - day;
  const isSmall = day >= 0 && day < SMALL_DAYS && span >= 0 && span < SMALL_SPAN;
  return isSmall ? day * SMALL_SPAN + span : LARGE + day * DAYS + dueDay;
}

function dayOf(days: number): number {
  return days < LARGE ? Math.floor(days / SMALL_SPAN) : Math.floor((days - LARGE) / DAYS);
}

function childOf<Key, Value>(parent: Map<string, Map<Key, Value>>, key: string): Map<Key, Value> {
  const known = parent.get(key);
  if (known !== undefined) return known;
  const child = new Map<Key, Value>();
  parent.set(key, child);
  return child;
}
