import type { AccountId } from '../../core/ids.ts';
import { rangeOfPrefix } from '../../core/text-starts.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerView, customersFrom, customersInRange, type SearchedText } from '../queries/list-customers.ts';

const FOUND_MAX = 100;
/** Customers whose texts differ from the searched one in case, accents or punctuation only, and are skipped. */
const SKIPPED_MAX = 50_000;

/** Customers whose external id, or address in any case, begins with the text: at most 100 of each. */
export async function searchCustomers(tx: Transaction, accountId: AccountId, text: string): Promise<CustomerView[]> {
  const found = [
    ...(await findByStart(tx, accountId, 'externalId', text)),
    ...(await findByStart(tx, accountId, 'address', text.toLowerCase())),
  ];
  return [...new Map(found.map((customer) => [customer.id, customer])).values()];
}

const TEXT_OF: Readonly<Record<SearchedText, (customer: CustomerView) => string>> = {
  externalId: ({ externalId }) => externalId ?? '',
  address: ({ email }) => email?.toLowerCase() ?? '',
};

/**
 * In the order of the text. The first query has no upper bound, because its place depends on the collation. That of a
 * language mixes matches with texts that differ in case, accents or punctuation only: where such texts fill the first
 * rows, the matches may come after them.
 */
async function findByStart(
  tx: Transaction,
  accountId: AccountId,
  searched: SearchedText,
  start: string,
): Promise<CustomerView[]> {
  const textOf = TEXT_OF[searched];
  const first = await customersFrom[searched](tx, accountId, { start, limit: FOUND_MAX });
  const found = first.filter((customer) => textOf(customer).startsWith(start));
  const last = first[FOUND_MAX - 1];
  if (last === undefined || found.length === FOUND_MAX || !isAlike(textOf(last), start)) return found;
  const range = rangeOfPrefix(start);
  return customersInRange[searched](tx, accountId, { start, limit: FOUND_MAX, range, most: SKIPPED_MAX });
}

/** Whether a language may sort a text with those that begin with `start`: ß like ss, and ł like l. */
function isAlike(text: string, start: string): boolean {
  const [letters, searched] = [lettersOf(text), lettersOf(start)];
  return letters.startsWith(searched) || BEYOND_ASCII.test(searched + letters.slice(0, searched.length));
}

const BEYOND_ASCII = /\P{ASCII}/u;

function lettersOf(text: string): string {
  const letters = text.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  return letters.toLowerCase();
}
