/** More than any day that a time can fall on. */
const DAYS = 100_000_001;
/** A day until the year 2059 and a due day less than `SMALL_SPAN` later make one small integer, the cheapest key. */
const SMALL_DAYS = 0x8000;
const SMALL_SPAN = 0x1_0000;
const LARGE = 0x1_0000_0000;

/** What a sum belongs to. Texts may be empty; days are counted from 1970. */
export interface SumKey {
  owner: string;
  part: string;
  currency: string;
  day: number;
  /** The same as `day` for sums without a due day. */
  dueDay: number;
}

type PlacesByDays = Map<number, number>;

/**
 * Adds up amounts by key in columns, exactly. To compare two sides, add one and the negated other: keys that agree come
 * to zero. A key takes about 80 bytes.
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

  /** @param amounts for the first columns, in their order */
  add(key: SumKey, ...amounts: readonly number[]): void {
    const place = this.#placeOf(key);
    for (let column = 0; column < amounts.length; column += 1) {
      this.#sums[place + column] = (this.#sums[place + column] as number) + (amounts[column] as number);
    }
  }

  /** The owners and days of keys whose sums are not all zero; `sums` has one number for each column. */
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
