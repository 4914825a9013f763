import type { Mark } from '../app/person-marks.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { findMark, findMarks, findStoredMarks } from './queries/erasure.ts';

export { addMark, addMarks } from './queries/erasure.ts';

/** True when the account has erased what this mark stands for. */
export async function isMarked(tx: Transaction, accountId: AccountId, mark: Mark): Promise<boolean> {
  return (await findMark(tx, accountId, mark)) !== undefined;
}

/** True when the account has erased anything. */
export async function hasMarks(tx: Transaction, accountId: AccountId): Promise<boolean> {
  return (await findMarks(tx, accountId, '', 1)).length > 0;
}

/** Those of the marks that the account has erased. */
export async function findMarked(tx: Transaction, accountId: AccountId, marks: readonly Mark[]): Promise<Set<Mark>> {
  return new Set((await findStoredMarks(tx, marks, { accountId })).map(({ mark }) => mark));
}
