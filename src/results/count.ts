import type { LinkId, PartnerId, ProgramId } from '../core/ids.ts';
import { DAY_MS } from '../core/time.ts';
import { BLOCK_DAYS, PROGRAM_PARTS } from '../storage/conditions/result-days.ts';
import type { Transaction } from '../storage/database.ts';
import { addToDays, type Counts, type ResultDay } from './queries/days.ts';

/** What a link, a partner and a program gain or lose through a click, a lead, a sale or a reversal. */
export interface ResultChange extends Partial<Counts> {
  programId: ProgramId;
  partnerId: PartnerId;
  /** Null for a sale without a link. */
  linkId: LinkId | null;
  /** The id of the click, lead or sale. */
  id: string;
  /** When the click, lead or sale was created (epoch milliseconds). The results of that day change. */
  createdAt: number;
  /** The currency of the amounts; null for clicks and leads. */
  currency: string | null;
}

/** Sorts after the ledger's sums, whose key is `ledger`. */
const LAST_KEY = 'results';

/** Adds to the daily results after the unit of work has succeeded, all changes at once and each row once. */
export function countResults(tx: Transaction, changes: readonly ResultChange[]): void {
  tx.last(LAST_KEY, addResults, changes);
}

async function addResults(tx: Transaction, changes: readonly (readonly ResultChange[])[]): Promise<void> {
  const days = new Map<string, ResultDay>();
  for (const change of changes.flat()) {
    const part = change.linkId ?? '';
    addChange(days, { ownerId: change.partnerId, part, span: 1 }, change);
    addChange(days, { ownerId: change.partnerId, part, span: BLOCK_DAYS }, change);
    addChange(days, { ownerId: change.programId, part: programPartOf(change.id), span: 1 }, change);
  }
  tx.unawaited(addToDays(tx, inLockOrder(days)));
}

function addChange(
  days: Map<string, ResultDay>,
  row: Pick<ResultDay, 'ownerId' | 'part' | 'span'>,
  change: ResultChange,
) {
  const { ownerId, part, span } = row;
  const { clicks = 0, leads = 0, sales = 0, revenue = 0, commission = 0 } = change;
  const day = Math.floor(change.createdAt / (span * DAY_MS)) * span;
  const currency = change.currency ?? '';
  const key = `${ownerId} ${part} ${span} ${day} ${currency}`;
  const known = days.get(key);
  if (known === undefined) {
    days.set(key, { ownerId, part, span, day, currency, clicks, leads, sales, revenue, commission });
    return;
  }
  known.clicks += clicks;
  known.leads += leads;
  known.sales += sales;
  known.revenue += revenue;
  known.commission += commission;
}

/**
 * Every unit locks the rows in the same order, so that no two units deadlock. Partners (`ptr_`) come before programs
 * (`prg_`): a unit that waits for a busy link does not yet hold the program's row, which others need.
 */
function inLockOrder(days: ReadonlyMap<string, ResultDay>): ResultDay[] {
  const sorted = [...days].sort(([a], [b]) => (a < b ? 1 : -1));
  return sorted.map(([, day]) => day);
}

/** The last character of an id is random: a hexadecimal digit, or for a click a digit or letter. */
function programPartOf(id: string): string {
  return String(Number.parseInt(id.slice(-1), 36) % PROGRAM_PARTS);
}
