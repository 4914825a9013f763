import type { PaidLines } from './facts.ts';
import type { RefundedLine } from './refunded.ts';

/** The place of a line in a refund, and how many of its units were paid for. */
interface TakenUnits<Refund> {
  refund: Refund;
  index: number;
  units: number;
}

/**
 * Which units that refunds gave back were paid for: of each line, those of the refunds that come first. A refund takes a
 * step for each of its lines, and one for each line of another refund that loses units to it.
 */
export class PaidUnits<Refund extends { lines: readonly RefundedLine[] }> {
  readonly #inOrder: (one: Refund, other: Refund) => number;
  readonly #left: Map<string, number>;
  /** By line, where its units are, in order; without those that have none. */
  readonly #takenOf = new Map<string, TakenUnits<Refund>[]>();
  readonly #unitsOf = new Map<Refund, number[]>();

  /** @param inOrder compares two different refunds, of which none equals the other */
  constructor(paid: PaidLines, inOrder: (one: Refund, other: Refund) => number) {
    this.#left = new Map(Object.entries(paid));
    this.#inOrder = inOrder;
  }

  /** Takes the units of the refund's lines. Returns the refunds whose units changed, this one among them. */
  take(refund: Refund): ReadonlySet<Refund> {
    const changed = new Set([refund]);
    const units = refund.lines.map(() => 0);
    this.#unitsOf.set(refund, units);
    for (const [index, { lineId, quantity }] of refund.lines.entries()) {
      if (lineId === null) continue;
      const taken: TakenUnits<Refund> = { refund, index, units: this.#takeLeft(lineId, quantity) };
      const list = this.#listOf(lineId);
      const place = this.#placeOf(refund, list);
      while (taken.units < quantity && list.length > place) {
        const loser = takeFromLast(list, taken, quantity);
        this.#note(loser);
        changed.add(loser.refund);
      }
      this.#note(taken);
      if (taken.units > 0) list.splice(place, 0, taken);
    }
    return changed;
  }

  /** How many units of each of its lines were paid for; 0 for what belongs to no line. */
  of(refund: Refund): readonly number[] {
    return this.#unitsOf.get(refund) ?? [];
  }

  #note({ refund, index, units }: TakenUnits<Refund>): void {
    const all = this.#unitsOf.get(refund);
    if (all !== undefined) all[index] = units;
  }

  #takeLeft(lineId: string, quantity: number): number {
    const left = this.#left.get(lineId) ?? 0;
    const taken = Math.min(left, quantity);
    this.#left.set(lineId, left - taken);
    return taken;
  }

  #listOf(lineId: string): TakenUnits<Refund>[] {
    const known = this.#takenOf.get(lineId);
    if (known !== undefined) return known;
    const list: TakenUnits<Refund>[] = [];
    this.#takenOf.set(lineId, list);
    return list;
  }

  /** Behind the lines of this refund and of those before it. */
  #placeOf(refund: Refund, list: readonly TakenUnits<Refund>[]): number {
    let [from, to] = [0, list.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = list[middle]?.refund;
      if (other === undefined || other === refund || this.#inOrder(other, refund) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Moves units of the last in the list, which is not empty, to another; it leaves the list without any. */
function takeFromLast<Refund>(
  list: TakenUnits<Refund>[],
  taken: TakenUnits<Refund>,
  quantity: number,
): TakenUnits<Refund> {
  const last = list.at(-1) ?? taken;
  const moved = Math.min(last.units, quantity - taken.units);
  last.units -= moved;
  taken.units += moved;
  if (last.units === 0) list.pop();
  return last;
}
