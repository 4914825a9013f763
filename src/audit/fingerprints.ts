import { randomInt } from 'node:crypto';
import type { AccountId } from '../core/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import {
  FINGERPRINT_CURRENCIES,
  SEEDS,
  type Seeds,
  type Weighted,
  walkLedgerFingerprint,
  walkPayoutCurrencies,
  walkPayoutFingerprint,
  walkResultFingerprint,
} from './queries/fingerprints.ts';

const SEED_MIN = 2 ** 20;
const SEED_END = 2 ** 31 - 1;
/** Of leads and clicks. */
const NO_CURRENCY = '';

/** False when a sum per day of an account's earnings is not that of its entries, or there are too many currencies to tell. */
export function agreesWithEntries(database: Database, accountId: AccountId): Promise<boolean> {
  return agrees(database, accountId, walkLedgerFingerprint);
}

/** The same of its payouts, and the sums per day of what they contain. */
export function agreesWithPayouts(database: Database, accountId: AccountId): Promise<boolean> {
  return agrees(database, accountId, walkPayoutFingerprint);
}

/** The same of its partners' results per day. */
export function agreesWithResults(database: Database, accountId: AccountId): Promise<boolean> {
  return agrees(database, accountId, walkResultFingerprint);
}

async function agrees(
  database: Database,
  accountId: AccountId,
  compare: (tx: Transaction, weighted: Weighted, currencies: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  const found = await database.report((tx) => walkPayoutCurrencies(tx, accountId));
  const currencies = [NO_CURRENCY, ...found.map(({ currency }) => currency)];
  if (currencies.length > FINGERPRINT_CURRENCIES) return false;
  return database.report((tx) => compare(tx, { accountId, seeds: randomSeeds() }, currencies));
}

/** New ones each time, so that what one run might miss, the next one finds. */
function randomSeeds(): Seeds {
  return Object.fromEntries(SEEDS.map((name) => [name, randomInt(SEED_MIN, SEED_END)])) as Seeds;
}
