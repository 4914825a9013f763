import type { Transaction } from '../../storage/database.ts';

/** awaited: known by reference only. parked: received, nobody's yet. counted: became a sale. joined: is another one. */
export type PaymentState = 'awaited' | 'parked' | 'counted' | 'joined';

export interface PaymentRow {
  id: string;
  processor: string;
  state: PaymentState;
  saleId: string | null;
  deliveryId: string | null;
  /** Parked: the fact `payment.received` and the steps that were tried, as JSON. */
  fact: string | null;
  steps: string | null;
  occurredAt: number | null;
  expiresAt: number | null;
}

export interface NewPayment extends PaymentRow {
  accountId: string;
  createdAt: number;
}

const COLUMNS = `p.id, p.processor, p.state, p.sale_id AS "saleId", p.delivery_id AS "deliveryId", p.fact, p.steps,
  p.occurred_at AS "occurredAt", p.expires_at AS "expiresAt"`;

/** Rows of an IN list; a payment has few references, and a missing one repeats the first. */
const REFERENCES_PER_QUERY = 4;

/** `known`: what need not be added for the processor that asks. */
const named = (value: string, processor: string) => `
    CASE WHEN ${processor} = @processor THEN ${value} END AS "known"`;
/** An invoice id is one across all processors and the API; any other reference is its processor's. */
const theirs = (value: string, processor: string) =>
  `(${processor} = @processor OR ${processor} = 'custom' OR ${value} = @invoiceId)`;

/**
 * A payment once for each of its references: those that were stored, and its sale's invoice id, which is one by itself.
 * Sorting and telling apart is done in `findPayments`, where there is seldom more than one.
 */
const byReferences = (values: string) => `
  SELECT ${COLUMNS}, ${named('r.value', 'r.processor')}
  FROM payment_references r
  JOIN payments q ON q.id = r.payment_id
  JOIN payments p ON p.id = COALESCE(q.joined_to, q.id)
  WHERE r.account_id = @accountId AND r.value ${values} AND ${theirs('r.value', 'r.processor')}
  UNION ALL
  SELECT ${COLUMNS}, ${named('s.invoice_id', 'q.processor')}
  FROM sales s
  JOIN payments q ON q.id = s.payment_id
  JOIN payments p ON p.id = COALESCE(q.joined_to, q.id)
  WHERE s.account_id = @accountId AND s.invoice_id ${values} AND ${theirs('s.invoice_id', 'q.processor')}`;
/** The usual case apart: a list of four is made and sorted by SQLite each time. */
const BY_ONE = byReferences('= @r0');
const BY_FOUR = byReferences('IN (@r0, @r1, @r2, @r3)');

/** A payment, and which of the references that it was asked for by it has under the processor that asked. */
export interface NamedPayment extends PaymentRow {
  knownReferences: string[];
}

/**
 * The payments that these references name, earliest first; more than one before they are joined. An invoice id is
 * one across all processors and the API; other references are the processor's own, or the API's without a processor.
 */
export async function findPayments(
  tx: Transaction,
  accountId: string,
  processor: string,
  references: readonly string[],
  invoiceId: string | null,
): Promise<NamedPayment[]> {
  const sql = references.length === 1 ? BY_ONE : BY_FOUR;
  const found = new Map<string, NamedPayment>();
  for (let start = 0; start < references.length; start += REFERENCES_PER_QUERY) {
    const at = (offset: number) => references[start + offset] ?? references[start] ?? null;
    const parameters = { accountId, processor, invoiceId, r0: at(0), r1: at(1), r2: at(2), r3: at(3) };
    for (const { known, ...row } of await tx.all<PaymentRow & { known: string | null }>(sql, parameters)) {
      const payment = found.get(row.id) ?? { ...row, knownReferences: [] };
      if (known !== null) payment.knownReferences.push(known);
      found.set(row.id, payment);
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** For the API, whose invoice id may name a payment of any processor. */
export function findPaymentsByInvoice(tx: Transaction, accountId: string, invoiceId: string) {
  return findPayments(tx, accountId, 'custom', [invoiceId], invoiceId);
}

export function getPayment(tx: Transaction, accountId: string, paymentId: string) {
  return tx.get<PaymentRow>(`SELECT ${COLUMNS} FROM payments p WHERE p.account_id = @accountId AND p.id = @paymentId`, {
    accountId,
    paymentId,
  });
}

export function insertPayment(tx: Transaction, payment: NewPayment) {
  return tx.run(
    `INSERT INTO payments (id, account_id, processor, state, sale_id, delivery_id, fact, steps, occurred_at,
       expires_at, created_at)
     VALUES (@id, @accountId, @processor, @state, @saleId, @deliveryId, @fact, @steps, @occurredAt,
       @expiresAt, @createdAt)`,
    { ...payment },
  );
}

/** Parks a payment that was awaited until now. */
export function parkPayment(
  tx: Transaction,
  payment: Pick<NewPayment, 'id' | 'deliveryId' | 'fact' | 'steps' | 'occurredAt' | 'expiresAt'>,
) {
  return tx.run(
    `UPDATE payments SET state = 'parked', delivery_id = @deliveryId, fact = @fact, steps = @steps,
       occurred_at = @occurredAt, expires_at = @expiresAt
     WHERE id = @id`,
    { ...payment },
  );
}

/** The payment became this sale; a second record of it must find `counted`. */
export function countPayment(tx: Transaction, paymentId: string, saleId: string) {
  return tx.run(
    `UPDATE payments SET state = 'counted', sale_id = @saleId, fact = NULL, steps = NULL, expires_at = NULL
     WHERE id = @paymentId`,
    { paymentId, saleId },
  );
}

/** A payment that was known by API or by reference only was told of by its processor; the first delivery that did stays. */
export function rememberDelivery(tx: Transaction, paymentId: string, deliveryId: string) {
  return tx.run('UPDATE payments SET delivery_id = @deliveryId WHERE id = @paymentId AND delivery_id IS NULL', {
    paymentId,
    deliveryId,
  });
}

/**
 * Adds a reference; one that names a payment already stays there. The invoice id of a payment's sale need not be added:
 * it is one by itself.
 */
export function addReference(tx: Transaction, accountId: string, processor: string, value: string, paymentId: string) {
  return tx.run(
    `INSERT INTO payment_references (account_id, processor, value, payment_id)
     VALUES (@accountId, @processor, @value, @paymentId)
     ON CONFLICT DO NOTHING`,
    { accountId, processor, value, paymentId },
  );
}

/**
 * Two payments turned out to be the same: what hangs on one moves to the other, which speaks for its references from now
 * on. A joined payment always points at one that is not joined itself.
 */
export async function joinPayment(tx: Transaction, fromId: string, toId: string): Promise<void> {
  const ids = { fromId, toId };
  await tx.run('UPDATE payments SET joined_to = @toId WHERE joined_to = @fromId', ids);
  await tx.run(
    `UPDATE payments SET state = 'joined', joined_to = @toId, fact = NULL, steps = NULL WHERE id = @fromId`,
    ids,
  );
  await tx.run('UPDATE refunds SET payment_id = @toId WHERE payment_id = @fromId', ids);
  await tx.run('UPDATE disputes SET payment_id = @toId WHERE payment_id = @fromId', ids);
  await tx.run('DELETE FROM parked_hints WHERE payment_id = @fromId', ids);
}
