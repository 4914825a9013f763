import type { AccountId, SaleId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import { ServiceError } from '../../errors.ts';
import type { Transaction } from '../../storage/database.ts';
import { mergePayments } from '../merge.ts';
import { findParkedHints } from '../queries/parked-hints.ts';
import type { Payment } from '../queries/payments.ts';
import { addReferences, claimImportedPayments, findPaymentsOfAnyProcessor } from '../queries/references.ts';
import type { ReversibleSale } from '../queries/reversible-sales.ts';
import { getReversibleSale } from '../reverse-sale.ts';
import type { Scope } from '../scope.ts';

/** The ids of a payment that another service knows. */
export interface ImportedPayment {
  processor: PaymentProcessor;
  invoiceId: string | null;
  /** Further ids of the payment. Its refunds are found by them. */
  references: readonly string[];
}

/** All ids of the payment. */
export function namesOf({ invoiceId, references }: Omit<ImportedPayment, 'processor'>): string[] {
  return [...new Set(invoiceId === null ? references : [invoiceId, ...references])];
}

/** What the ids of a payment name here, at whichever processor. */
export interface Named {
  saleIds: SaleId[];
  /** Under which the payments that are no sales yet are found, with their marks. */
  hints: { kind: string; value: string }[];
}

/** Finds what the ids of a payment name. Claims nothing. */
export async function findNamed(
  tx: Transaction,
  accountId: AccountId,
  { processor, invoiceId, ...payment }: ImportedPayment,
): Promise<Named> {
  const references = namesOf({ invoiceId, ...payment });
  const payments = await findPaymentsOfAnyProcessor(tx, accountId, { processor, references, invoiceId });
  const parked = payments.filter(({ saleId }) => saleId === null);
  return {
    saleIds: payments.map(({ saleId }) => saleId).filter((saleId) => saleId !== null),
    hints: (await Promise.all(parked.map(({ id }) => findParkedHints(tx, id)))).flat(),
  };
}

/** What is stored of an imported payment. */
export interface StoredPayments {
  /** Its sale; null while it has none. */
  saleId: SaleId | null;
  /** The payments with its ids when none of them is a sale. They are one payment, see `mergeAll`. */
  unsold: Payment[];
}

/**
 * Claims any payment that may be this sale. If one is a sale already, that sale learns the ids that it lacks, with the
 * refunds that wait under them.
 *
 * @throws ServiceError `CONFLICT` when several sales count that have its ids
 */
export async function claimImported(tx: Transaction, scope: Scope, imported: ImportedPayment): Promise<StoredPayments> {
  const { accountId } = scope;
  const { processor, invoiceId } = imported;
  const references = namesOf(imported);
  if (references.length === 0) return { saleId: null, unsold: [] };
  const payments = await claimImportedPayments(tx, accountId, { processor, references, invoiceId });
  const counted = await countedOf(tx, accountId, payments);
  if (counted === null) return { saleId: null, unsold: payments };
  await mergeAll(tx, scope, [counted, ...payments.filter(({ saleId }) => saleId === null)]);
  await addReferences(tx, accountId, { processor: reportedProcessorOf(counted), references }, counted.id);
  return { saleId: counted.saleId, unsold: [] };
}

/**
 * The processor that has reported a payment. `custom` for one that only the API or an import has named: it may be of any, and
 * so may references that are stored with it.
 */
export function reportedProcessorOf({ processor, state, deliveryId }: Payment): PaymentProcessor {
  return deliveryId === null && state !== 'awaited' ? 'custom' : processor;
}

/**
 * The payment that is a sale. A webhook that names two sales would reverse the later one, but the columns of a file may be
 * wrong, so that only a person does it.
 */
async function countedOf(tx: Transaction, accountId: AccountId, payments: readonly Payment[]): Promise<Payment | null> {
  const counted = payments.filter(({ saleId }) => saleId !== null);
  if (counted.length < 2) return counted[0] ?? null;
  const counting: Payment[] = [];
  for (const payment of counted) if (await isCounting(tx, accountId, payment)) counting.push(payment);
  if (counting.length > 1) throw namesSeveral(counting);
  return counting[0] ?? counted[0] ?? null;
}

async function isCounting(tx: Transaction, accountId: AccountId, { saleId }: Payment): Promise<boolean> {
  if (saleId === null) return false;
  const sale = await getReversibleSale(tx, accountId, saleId);
  return sale.voidedReason === null && !isRefundedHere(sale);
}

/** True when refunds took everything back. What was refunded in full before its import keeps what it earned. */
export function isRefundedHere({ refundedAmount, grossAmount, terms }: ReversibleSale): boolean {
  const wasRefunded = terms.refundedElsewhere !== undefined && terms.refundedElsewhere >= grossAmount;
  return refundedAmount >= grossAmount && !wasRefunded;
}

function namesSeveral(payments: readonly Payment[]): ServiceError {
  const sales = payments.map(({ saleId }) => saleId).join(' and ');
  return new ServiceError(
    'CONFLICT',
    `Its ids name the sales ${sales} here: if they are one payment, refund all but one of them in full; otherwise ` +
      'correct the ids or the processor; then import again',
  );
}

/**
 * What was stored separately under the sale's ids, such as the report of an invoice and a refund of its charge, is one
 * payment. Processors may use one id for different payments, so that only those of one processor are merged.
 *
 * @param payments at most one of them counted
 */
export async function mergeAll(tx: Transaction, scope: Scope, payments: readonly Payment[]): Promise<Payment | null> {
  let merged: Payment | null = null;
  const parts: Payment[] = [];
  for (const payment of payments.toSorted((one, other) => orderOf(one) - orderOf(other))) {
    if (!isOfOneProcessor(...parts, payment)) continue;
    parts.push(payment);
    merged = merged === null ? payment : await mergePayments(tx, scope, merged, payment);
  }
  return merged;
}

const orderOf = ({ saleId, state }: Payment) => (saleId !== null ? 0 : state === 'parked' ? 1 : 2);

function isOfOneProcessor(...payments: readonly Payment[]): boolean {
  return new Set(payments.map(reportedProcessorOf).filter((processor) => processor !== 'custom')).size <= 1;
}
