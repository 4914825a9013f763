import { allPages } from '../app/all-pages.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import type { EntryKind } from '../core/ledger.ts';
import { maskedEmail } from '../core/masked-email.ts';
import { isUnderWay } from '../core/payout.ts';
import { notFound, ServiceError } from '../errors.ts';
import {
  findStatementEntries,
  findStatementHead,
  type StatementEntry,
  type StatementHead,
} from './queries/statement.ts';
import { ENTRY_WORDS } from './statement-words.ts';

const PAGE_SIZE = 500;

/** An entry in the words of a statement, limited to what the partner may know. */
export interface StatementLine {
  id: string;
  createdAt: number;
  kind: EntryKind;
  /** For example `Commission` or `Adjustment: a bonus`. */
  what: string;
  saleId: string | null;
  soldAt: number | null;
  /** For example `m…@example.com`. */
  customer: string | null;
  saleAmount: number | null;
  amount: number;
}

/** A payout and its entries, oldest first. Each page is read only after the previous one has been consumed. */
export interface Statement {
  head: StatementHead;
  pages: AsyncIterable<StatementLine[]>;
}

/** Identifies a payout and its owner. */
export interface StatementOf {
  accountId: AccountId;
  /** Restricts the payout to this partner; null for any partner of the account. */
  partnerId: string | null;
  payoutId: string;
}

/**
 * Finds a payout for its statement.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for a payout that is neither under way nor paid
 */
export async function openStatement(
  service: Service,
  { accountId, partnerId, payoutId }: StatementOf,
): Promise<Statement> {
  const head = await service.database.report((tx) => findStatementHead(tx, accountId, payoutId));
  if (head === undefined || (partnerId !== null && head.partnerId !== partnerId)) throw notFound('payout', payoutId);
  const { status } = head;
  if (!isUnderWay(status) && status !== 'paid') {
    const why = status === 'queued' ? 'it still collects entries' : 'its entries went into another payout';
    throw new ServiceError('INVALID_STATE', `Payout ${payoutId} is ${status}: ${why}, so it has no statement`);
  }
  return { head, pages: pagesOf(service, head) };
}

async function* pagesOf(service: Service, { id }: StatementHead): AsyncGenerator<StatementLine[]> {
  const pages = allPages(PAGE_SIZE, (page) => service.database.report((tx) => findStatementEntries(tx, id, page)));
  for await (const entries of pages) yield entries.map(asLine);
}

function asLine({ reason, customerEmail, ...entry }: StatementEntry): StatementLine {
  const words = ENTRY_WORDS[entry.kind];
  return {
    ...entry,
    what: entry.kind === 'adjustment' && reason !== null ? `${words}: ${reason}` : words,
    customer: customerEmail === null ? null : maskedEmail(customerEmail),
  };
}
