import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** Where facts go: one unit of work of one account. */
export interface MovedTarget {
  tx: Transaction;
  /** All of its units of work run in `tx`. */
  service: Service;
  accountId: AccountId;
  /** The other service: its key in our records, and its name in sentences. */
  source: { name: string; title: string };
  /** How records name partners: by the source's id of an imported one or, in files, by our e-mail address or id. */
  partnersBy: 'source id' | 'address';
  /** The program of all partners; null for the programs of the source, or the account's only one. */
  programId: string | null;
}

/** Where the facts of a source go, each in its own unit of work. */
export type FactsTarget = Omit<MovedTarget, 'tx'>;

/** What happened to a fact, with a reason where that helps. */
export interface Applied {
  result: 'created' | 'changed' | 'unchanged';
  reason: string | null;
  /** The id of the partner or the sale that it names, unless the fact has created it. */
  knownId?: string;
  /** True for a commission that is a sale here, and not only an entry. */
  isSale?: boolean;
  /** True when a part of it was left out, for the reason given. */
  hasLeftOut?: boolean;
}

export const created: Applied = { result: 'created', reason: null };
export const changed: Applied = { result: 'changed', reason: null };
export const unchanged: Applied = { result: 'unchanged', reason: null };
