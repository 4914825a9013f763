import type { AccountId, EntryId, PartnerId, ProgramId, SaleId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { addEntries } from './entries.ts';
import { findCommissionEntry } from './queries/entries.ts';
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

/** The commission entry of a sale; null when the sale earned nothing. */
export async function commissionEntryOf(tx: Transaction, saleId: SaleId): Promise<EntryId | null> {
  return (await findCommissionEntry(tx, saleId))?.id ?? null;
}
