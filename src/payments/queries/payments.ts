import type { TraceStep } from '../../core/attribution.ts';
import type { PaymentReceived } from '../../core/facts.ts';
import type { AccountId, DeliveryId, PaymentId, SaleId } from '../../core/ids.ts';
import { expiryOfMerged, type PaymentState } from '../../core/payment.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { AwaitedReport } from '../../core/same-payment.ts';
import type { Transaction } from '../../storage/database.ts';
import { clearParkedHints, moveMarks } from './parked-hints.ts';

/** The report of a parked payment, and everything that was tried. */
export interface ParkedReport {
  fact: PaymentReceived;
  steps: TraceStep[];
}

export interface Payment {
  id: PaymentId;
  processor: PaymentProcessor;
  state: PaymentState;
  saleId: SaleId | null;
  deliveryId: DeliveryId | null;
  /** Null unless the payment is parked. */
  parked: ParkedReport | null;
  /** When a parked payment expires; otherwise null. */
  expiresAt: number | null;
  /** Null unless the payment is awaited and more than its references is known. */
  awaited: AwaitedReport | null;
  /** The invoice that a counted payment has paid, if its sale is known by another id, as that of the payment intent. */
  paidInvoiceId: string | null;
}

export interface PaymentRow extends Omit<Payment, 'parked' | 'awaited' | 'paidInvoiceId'> {
  fact: string | null;
  steps: string | null;
}

/** The columns of a `PaymentRow`, from `payments p`. */
export const PAYMENT =
  'p.id, p.processor, p.state, p.sale_id AS "saleId", p.delivery_id AS "deliveryId", p.fact, p.steps, p.expires_at AS "expiresAt"';

export async function findPayment(
  tx: Transaction,
  accountId: AccountId,
  paymentId: string,
): Promise<Payment | undefined> {
  const sql = `SELECT ${PAYMENT} FROM payments p WHERE p.account_id = @accountId AND p.id = @paymentId`;
  const row = await tx.get<PaymentRow>(sql, { accountId, paymentId });
  return row && asPayment(row);
}

/** Like `findPayment`, but follows a merged payment to its survivor. Empty when there is none. */
export async function findSurvivor(tx: Transaction, accountId: AccountId, paymentId: PaymentId): Promise<Payment[]> {
  const rows = await tx.all<PaymentRow>(
    `SELECT ${PAYMENT} FROM payments q JOIN payments p ON p.id = COALESCE(q.joined_to, q.id)
     WHERE q.account_id = @accountId AND q.id = @paymentId`,
    { accountId, paymentId },
  );
  return rows.map(asPayment);
}

export interface NewPayment extends Omit<Payment, 'awaited' | 'paidInvoiceId'> {
  accountId: AccountId;
  /** Null for a payment that is known only by its references. */
  occurredAt: number | null;
  createdAt: number;
}

export function insertPayment(tx: Transaction, payment: NewPayment) {
  return tx.run(
    `INSERT INTO payments (id, account_id, processor, state, sale_id, delivery_id, fact, steps, occurred_at,
       expires_at, created_at)
     VALUES (@id, @accountId, @processor, @state, @saleId, @deliveryId, @fact, @steps, @occurredAt,
       @expiresAt, @createdAt)`,
    {
      id: payment.id,
      accountId: payment.accountId,
      processor: payment.processor,
      state: payment.state,
      saleId: payment.saleId,
      deliveryId: payment.deliveryId,
      ...parkedColumns(payment.parked),
      occurredAt: payment.occurredAt,
      expiresAt: payment.expiresAt,
      createdAt: payment.createdAt,
    },
  );
}

/** Parks an awaited payment. */
export function markParked(
  tx: Transaction,
  { parked, ...payment }: Pick<NewPayment, 'id' | 'deliveryId' | 'parked' | 'occurredAt' | 'expiresAt'>,
) {
  return tx.run(
    `UPDATE payments SET state = 'parked', delivery_id = @deliveryId, fact = @fact, steps = @steps,
       occurred_at = @occurredAt, expires_at = @expiresAt
     WHERE id = @id`,
    { ...payment, ...parkedColumns(parked) },
  );
}

/** Replaces the merged report of a parked payment. */
export function updateParked(tx: Transaction, paymentId: PaymentId, parked: ParkedReport) {
  return tx.run('UPDATE payments SET fact = @fact, steps = @steps, occurred_at = @occurredAt WHERE id = @paymentId', {
    paymentId,
    occurredAt: parked.fact.occurredAt,
    ...parkedColumns(parked),
  });
}

/** Stores the processor of a payment that only the API has reported so far, without one or perhaps as another one's. */
export function updateProcessor(tx: Transaction, paymentId: PaymentId, processor: PaymentProcessor) {
  return tx.run(
    `UPDATE payments SET processor = @processor
     WHERE id = @paymentId AND (processor = 'custom' OR delivery_id IS NULL)`,
    { paymentId, processor },
  );
}

/** Replaces what is known about an awaited payment. */
export function updateAwaited(tx: Transaction, paymentId: PaymentId, awaited: AwaitedReport) {
  return tx.run('UPDATE payments SET fact = @fact WHERE id = @paymentId', { paymentId, fact: JSON.stringify(awaited) });
}

/** Marks the payment as counted by this sale. Keeps the first delivery that reported it. */
export function markCounted(
  tx: Transaction,
  {
    paidInvoiceId,
    ...counted
  }: Pick<Payment, 'deliveryId' | 'paidInvoiceId'> & { paymentId: PaymentId; saleId: SaleId },
) {
  return tx.run(
    `UPDATE payments SET state = 'counted', sale_id = @saleId, delivery_id = COALESCE(delivery_id, @deliveryId),
       fact = @fact, steps = NULL, expires_at = NULL
     WHERE id = @paymentId`,
    { ...counted, fact: countedFact(paidInvoiceId) },
  );
}

/** Stores the invoice that a counted payment has paid. */
export function updatePaidInvoice(tx: Transaction, paymentId: PaymentId, paidInvoiceId: string) {
  const sql = `UPDATE payments SET fact = @fact WHERE id = @paymentId AND state = 'counted'`;
  return tx.run(sql, { paymentId, fact: countedFact(paidInvoiceId) });
}

function countedFact(paidInvoiceId: string | null): string | null {
  return paidInvoiceId === null ? null : JSON.stringify({ paidInvoiceId });
}

/** Stores the first delivery for a payment that the API reported. */
export function updateDelivery(tx: Transaction, paymentId: PaymentId, deliveryId: DeliveryId) {
  return tx.run('UPDATE payments SET delivery_id = @deliveryId WHERE id = @paymentId AND delivery_id IS NULL', {
    paymentId,
    deliveryId,
  });
}

/**
 * Merges one payment into another: moves its refunds and disputes, and redirects its references. A merged payment
 * always points to one that is not merged itself.
 */
export async function mergePaymentRows(tx: Transaction, from: Payment, to: Payment): Promise<void> {
  const ids = { fromId: from.id, toId: to.id };
  const expiresAt = expiryOfMerged(to, from);
  if (to.expiresAt !== expiresAt) {
    await tx.run('UPDATE payments SET expires_at = @expiresAt WHERE id = @toId', { toId: to.id, expiresAt });
  }
  await tx.run('UPDATE payments SET joined_to = @toId WHERE joined_to = @fromId', ids);
  await tx.run(
    `UPDATE payments SET state = 'joined', joined_to = @toId, fact = NULL, steps = NULL WHERE id = @fromId`,
    ids,
  );
  await tx.run('UPDATE refunds SET payment_id = @toId WHERE payment_id = @fromId', ids);
  await tx.run('UPDATE disputes SET payment_id = @toId WHERE payment_id = @fromId', ids);
  await moveMarks(tx, from.id, to.id);
  await clearParkedHints(tx, from.id);
}

/** The stored report of a payment is no longer JSON. */
export class UnreadableReport extends SyntaxError {}

function readReport(paymentId: PaymentId, text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableReport(`the stored report of ${paymentId} cannot be read`, { cause });
  }
}

/** @throws UnreadableReport */
export function asPayment({ id, processor, state, saleId, deliveryId, fact, steps, ...row }: PaymentRow): Payment {
  const isParked = state === 'parked' && fact !== null;
  const read = (text: string) => readReport(id, text);
  const parked = isParked ? { fact: read(fact), steps: read(steps ?? '[]') } : null;
  const awaited = state === 'awaited' && fact !== null ? read(fact) : null;
  const paidInvoiceId = state === 'counted' && fact !== null ? read(fact).paidInvoiceId : null;
  const expiresAt = isParked ? row.expiresAt : null;
  return { id, processor, state, saleId, deliveryId, parked, expiresAt, awaited, paidInvoiceId };
}

function parkedColumns(parked: ParkedReport | null) {
  if (parked === null) return { fact: null, steps: null };
  return { fact: JSON.stringify(parked.fact), steps: JSON.stringify(parked.steps) };
}
