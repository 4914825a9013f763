import { ENTRY_KINDS, type EntryKind } from '../core/ledger.ts';

/** Sums up entries by kind as they pass. */
export class StatementTotals {
  readonly #sums = new Map<EntryKind, { count: number; amount: bigint }>();

  add(lines: readonly { kind: EntryKind; amount: number }[]): void {
    for (const { kind, amount } of lines) {
      const { count, amount: before } = this.#sums.get(kind) ?? { count: 0, amount: 0n };
      this.#sums.set(kind, { count: count + 1, amount: before + BigInt(amount) });
    }
  }

  /** In the order of the kinds, without kinds that have no entries. Amounts in minor units. */
  byKind(): { kind: EntryKind; count: number; amount: bigint }[] {
    return ENTRY_KINDS.flatMap((kind) => {
      const sum = this.#sums.get(kind);
      return sum === undefined ? [] : [{ kind, ...sum }];
    });
  }
}
