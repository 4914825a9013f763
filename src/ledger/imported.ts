import type { AccountId, EntryId, PartnerId, ProgramId, SaleId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { addEntries } from './entries.ts';
import { findFinalEntries } from './queries/entries.ts';
import { findEntry } from './queries/list.ts';

/** What a partner earned elsewhere without a sale that is known here. Minor units; negative for a reversal. */
export interface ImportedEntry {
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  amountMinor: number;
  currency: string;
  /** When it may be paid out, in epoch milliseconds. */
  availableAt: number;
  /** Names the service and the commission's id there. */
  reason: string;
}

/** Adds earnings from elsewhere to the ledger, inside a unit of work. */
export async function addImportedEntry(
  tx: Transaction,
  { amountMinor, reason, ...owner }: ImportedEntry,
  now: number,
): Promise<EntryId> {
  const entry = { kind: 'adjustment', amountMinor, reason } as const;
  const [id] = await addEntries(tx, { ...owner, saleId: null, isUndecided: false }, [entry], now);
  if (id === undefined) throw new Error('An entry was added, but has no id');
  return id;
}

/** Whom an entry belongs to. */
export async function partnerOfEntry(tx: Transaction, accountId: AccountId, id: EntryId): Promise<PartnerId> {
  const entry = await findEntry(tx, accountId, id);
  if (entry === undefined) throw new Error(`Entry ${id} is missing`);
  return entry.partnerId;
}

/**
 * The entries with which a sale earned this amount: its commission, with the corrections until it was this much. What
 * corrected it later is not among them, and neither are its reversals, unless the amount is what the first of them left
 * of it. Null when the sale never earned this amount.
 */
export async function entriesOfEarned(
  tx: Transaction,
  saleId: SaleId,
  amountMinor: number,
): Promise<readonly EntryId[] | null> {
  const all = (await findFinalEntries(tx, saleId)).toSorted(inOrder);
  for (const entries of [all.filter(({ kind }) => kind !== 'reversal'), all]) {
    const last = sumsAfterEach(entries).lastIndexOf(amountMinor);
    if (last !== -1) return entries.slice(0, last + 1).map(({ id }) => id);
  }
  return null;
}

/** What was left of a sale's commission after its first reversal, and after each later entry; empty without one. */
export async function leftSinceReversal(tx: Transaction, saleId: SaleId): Promise<number[]> {
  const all = (await findFinalEntries(tx, saleId)).toSorted(inOrder);
  const first = all.findIndex(({ kind }) => kind === 'reversal');
  return first === -1 ? [] : sumsAfterEach(all).slice(first);
}

type FinalEntry = Awaited<ReturnType<typeof findFinalEntries>>[number];

/** The commission first; ids sort by creation time. */
function inOrder(one: FinalEntry, other: FinalEntry): number {
  const rank = ({ kind }: FinalEntry) => (kind === 'commission' ? 0 : 1);
  return rank(one) - rank(other) || (one.id < other.id ? -1 : 1);
}

function sumsAfterEach(entries: readonly FinalEntry[]): number[] {
  let sum = 0;
  return entries.map(({ amount }) => {
    sum += amount;
    return sum;
  });
}
