import type { IdentityKey } from '../../core/identity.ts';
import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/**
 * An identifier of a parked payment. `customer` and `subscription` values include the processor: `stripe:cus_1`. `owner` is
 * our id of the customer to whom one of these belongs.
 */
export interface ParkedHint {
  kind: 'external' | 'customer' | 'subscription' | 'email' | 'owner';
  value: string;
}

/** @param value lower case */
export function emailHint(value: string): ParkedHint {
  return { kind: 'email', value };
}

export function ownerHint(value: CustomerId): ParkedHint {
  return { kind: 'owner', value };
}

const insertHints = manyRows({
  before: 'INSERT INTO parked_hints (account_id, kind, value, payment_id) VALUES',
  names: ['accountId', 'kind', 'value', 'paymentId'],
  after: 'ON CONFLICT DO NOTHING',
});

/** Indexes a parked payment under these identifiers; idempotent. */
export function addParkedHints(
  tx: Transaction,
  accountId: AccountId,
  hints: readonly ParkedHint[],
  paymentId: PaymentId,
): Promise<number> {
  return insertHints(
    tx,
    hints.map((hint) => ({ accountId, ...hint, paymentId })),
  );
}

export function clearParkedHints(tx: Transaction, paymentId: PaymentId) {
  return tx.run('DELETE FROM parked_hints WHERE payment_id = @paymentId', { paymentId });
}

/**
 * The kind of a mark: the person of the payment is known, but it is not attributed yet. Its value is the time of the
 * payment, so that the earliest come first.
 */
const DUE = 'due';

/**
 * The kind of a mark among the identifiers of parked payments: the payer was erased, but the payment is not yet. Its value is
 * the external id of the payer, or our id of a guest, if the payment may also be somebody else's; otherwise empty.
 */
export const TO_ERASE = 'to erase';

/** The account's earliest marked payments; some may not be parked any more. */
export async function findDue(tx: Transaction, accountId: AccountId, limit: number): Promise<PaymentId[]> {
  const found = await tx.all<{ id: PaymentId }>(
    `SELECT payment_id AS id FROM parked_hints WHERE account_id = @accountId AND kind = '${DUE}'
     ORDER BY value, payment_id LIMIT @limit`,
    { accountId, limit },
  );
  return found.map(({ id }) => id);
}

/** The kind of another mark: the person of the payment is known, but it failed to become their sale. */
const FAILED = 'failed';

/** Deletes both marks. */
export function deleteDue(tx: Transaction, paymentId: PaymentId) {
  const sql = `DELETE FROM parked_hints WHERE payment_id = @paymentId AND kind IN ('${DUE}', '${FAILED}')`;
  return tx.run(sql, { paymentId });
}

/** Marks a payment as failed, and no longer as due. */
export async function markFailed(tx: Transaction, accountId: AccountId, paymentId: PaymentId): Promise<void> {
  await deleteDue(tx, paymentId);
  await insertHints(tx, [{ accountId, kind: FAILED, value: '', paymentId }]);
}

/** The account's first payments that failed and are still parked. */
export async function findFailed(tx: Transaction, accountId: AccountId, limit: number): Promise<PaymentId[]> {
  const found = await tx.all<{ id: PaymentId }>(
    `SELECT p.id FROM parked_hints h JOIN payments p ON p.id = h.payment_id
     WHERE h.account_id = @accountId AND h.kind = '${FAILED}' AND h.value = '' AND p.state = 'parked'
     ORDER BY h.payment_id LIMIT @limit`,
    { accountId, limit },
  );
  return found.map(({ id }) => id);
}

/** Moves the marks of a payment to the one that it is merged into. */
export async function moveMarks(tx: Transaction, fromId: PaymentId, toId: PaymentId): Promise<void> {
  await tx.run(
    `INSERT INTO parked_hints (account_id, kind, value, payment_id)
     SELECT h.account_id, h.kind, h.value, @toId FROM parked_hints h
     WHERE h.payment_id = @fromId AND h.kind IN ('${DUE}', '${TO_ERASE}')
     ON CONFLICT DO NOTHING`,
    { fromId, toId },
  );
}

const parkedUnder = (kind: ParkedHint['kind'], parameter: string) => `
  SELECT p.id, p.occurred_at AS "occurredAt"
  FROM parked_hints h JOIN payments p ON p.id = h.payment_id
  WHERE h.account_id = @accountId AND h.kind = '${kind}' AND h.value = @${parameter}
    AND p.state = 'parked' AND p.expires_at > @now`;

const BY_EMAIL = `${parkedUnder('email', 'email')}
    AND EXISTS (SELECT 1 FROM programs g WHERE g.account_id = @accountId AND g.email_matching = 1)`;

const BY_IDENTITIES = `${parkedUnder('customer', 'customer')}
  UNION ALL ${parkedUnder('subscription', 'subscription')}`;

// CROSS JOIN fixes the order from few rows to many. SQLite would otherwise start with all hints of the account.
const BY_EXTERNAL_ID = `${parkedUnder('external', 'externalId')}
  UNION ALL ${parkedUnder('owner', 'customerId')}
  UNION ALL
  SELECT p.id, p.occurred_at AS "occurredAt"
  FROM identities i CROSS JOIN parked_hints h CROSS JOIN payments p
  WHERE i.external_id = @externalId AND i.customer_id IS NULL AND i.account_id || '' = @accountId
    AND h.account_id = i.account_id AND h.kind = i.kind AND h.value = i.processor || ':' || i.value
    AND p.id = h.payment_id AND p.state = 'parked' AND p.expires_at > @now`;

/** Adds one row with a null id when any processor's id with this external id is not assigned to a customer yet. */
const KNOWN_OF_NEW = `${BY_EXTERNAL_ID}
  UNION ALL ${BY_EMAIL}
  UNION ALL
  SELECT NULL AS id, NULL AS "occurredAt" WHERE EXISTS (SELECT 1 FROM identities i
    WHERE i.external_id = @externalId AND i.customer_id IS NULL AND i.account_id || '' = @accountId)`;

const EARLIEST = 'ORDER BY COALESCE(f."occurredAt", 0), f.id LIMIT @limit';
const earliestOf = (found: string) => `SELECT f.id, f."occurredAt" FROM (${found}) f ${EARLIEST}`;
const TIME_BASE = 1_000_000_000_000_000; // the digits of all times are as many
const markAllOf = (found: string) => `INSERT INTO parked_hints (account_id, kind, value, payment_id)
  SELECT @accountId, '${DUE}', CAST(${TIME_BASE} + f."occurredAt" AS TEXT), f.id FROM (${found}) f
  WHERE f.id IS NOT NULL ON CONFLICT DO NOTHING`;

const FIND = { email: earliestOf(BY_EMAIL), identities: earliestOf(BY_IDENTITIES), ofNew: earliestOf(KNOWN_OF_NEW) };
const MARK = { email: markAllOf(BY_EMAIL), identities: markAllOf(BY_IDENTITIES), ofNew: markAllOf(KNOWN_OF_NEW) };

/** A parked payment that an identifier matches, and when it was made. */
export interface ParkedFor {
  id: PaymentId;
  occurredAt: number;
}

/** The account, the time at which payments must not have expired, and how many to find at most, the earliest first. */
export interface Matching {
  accountId: AccountId;
  now: number;
  limit: number;
}

/** Marks these payments; idempotent. */
export function markDue(tx: Transaction, accountId: AccountId, payments: readonly ParkedFor[]): Promise<number> {
  return insertHints(
    tx,
    payments.map(({ id, occurredAt }) => ({ accountId, kind: DUE, value: `${TIME_BASE + occurredAt}`, paymentId: id })),
  );
}

/** The parked payments with this lower-case e-mail address; none when no program of the account has e-mail matching. */
export function findParkedByEmail(tx: Transaction, matching: Matching, email: string): Promise<ParkedFor[]> {
  return tx.all(FIND.email, { ...matching, email });
}

/** Marks what `findParkedByEmail` finds, without limit, as do the other functions of this kind; idempotent. */
export function markParkedByEmail(tx: Transaction, matching: Matching, email: string) {
  return tx.run(MARK.email, { ...matching, email });
}

/** A processor's ids of a customer. */
export interface ProcessorKeys {
  processor: PaymentProcessor;
  keys: readonly IdentityKey[];
}

/** The parked payments with one of a processor's ids. A payment with both ids appears twice. */
export function findParkedByIdentities(tx: Transaction, matching: Matching, ids: ProcessorKeys): Promise<ParkedFor[]> {
  return tx.all(FIND.identities, { ...matching, ...hintsOf(ids) });
}

export function markParkedByIdentities(tx: Transaction, matching: Matching, ids: ProcessorKeys) {
  return tx.run(MARK.identities, { ...matching, ...hintsOf(ids) });
}

function hintsOf({ processor, keys }: ProcessorKeys) {
  const hintOf = (kind: IdentityKey['kind']) => {
    const key = keys.find((one) => one.kind === kind);
    return key === undefined ? null : `${processor}:${key.value}`;
  };
  return { customer: hintOf('customer'), subscription: hintOf('subscription') };
}

/** What is known about a customer who is new to the account. */
export interface KnownOfNew {
  /** Payments that were parked for the customer, possibly with duplicates. */
  payments: ParkedFor[];
  /** True when processors have reported ids of the customer that can now be assigned. */
  isIdentified: boolean;
}

/** A customer who is new to the account, or was moved; the e-mail address is in lower case. */
export interface NewPerson {
  /** Null for a customer without a row, who owns nothing yet. */
  customerId: CustomerId | null;
  externalId: string;
  email: string | null;
}

/**
 * Finds payments that match any of these: the external id; a processor's id that came with it and is not assigned to a
 * customer yet, or that belongs to this one; the e-mail address, if there is one.
 */
export async function findKnownOfNew(tx: Transaction, matching: Matching, person: NewPerson): Promise<KnownOfNew> {
  const rows = await tx.all<ParkedFor | { id: null }>(FIND.ofNew, { ...matching, ...person });
  return {
    payments: rows.filter((row) => row.id !== null),
    isIdentified: rows.some(({ id }) => id === null),
  };
}

/** Call it before the processor's ids are assigned. */
export function markKnownOfNew(tx: Transaction, matching: Matching, person: NewPerson) {
  return tx.run(MARK.ofNew, { ...matching, ...person });
}
