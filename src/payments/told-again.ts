import type { TraceStep } from '../core/attribution.ts';
import type { PaymentReceived } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeWaitingForIdentities } from './attribute-waiting.ts';
import type { Scope } from './customers.ts';
import { identityKeysOf, learnIdentity } from './identify.ts';
import { addParkedHint, type ParkedHint, updateParked } from './queries/parked-hints.ts';
import { type PaymentRow, rememberDelivery } from './queries/payments.ts';
import { getReversibleSale, type ProcessorAmounts, updateGross } from './queries/sales.ts';
import type { ProcessorScope } from './sell.ts';
import { settleWaiting } from './settle-waiting.ts';

/** What was received of a payment that is parked; null for one in another state. */
export function parkedFactOf(payment: PaymentRow | null): PaymentReceived | null {
  return payment?.state === 'parked' && payment.fact !== null ? (JSON.parse(payment.fact) as PaymentReceived) : null;
}

/** By what the parked payment may be found later. */
export async function addParkedHints(
  tx: Transaction,
  { accountId, processor }: ProcessorScope,
  { customer }: PaymentReceived,
  paymentId: string,
): Promise<void> {
  const hints: ParkedHint[] = [
    ...customer.externalIds.map(({ value }) => ({ kind: 'external', value }) as const),
    ...identityKeysOf(customer).map(({ kind, value }) => ({ kind, value: `${processor}:${value}` })),
    ...(customer.email === null ? [] : [{ kind: 'email', value: customer.email } as const]),
  ];
  for (const hint of hints) await addParkedHint(tx, accountId, hint, paymentId);
}

/** Another delivery told of a payment that stays parked: `told` is what all of them say together. */
export async function completeParked(
  tx: Transaction,
  scope: ProcessorScope,
  paymentId: string,
  told: PaymentReceived,
  steps: readonly TraceStep[],
): Promise<void> {
  await learnIdentity(tx, scope.accountId, scope.processor, told.customer, null);
  await updateParked(tx, paymentId, JSON.stringify(told), JSON.stringify(steps));
  await addParkedHints(tx, scope, told, paymentId);
}

/** Another delivery told of a payment that is a sale already: whom it names is the sale's customer from now on. */
export async function completeSale(
  tx: Transaction,
  scope: ProcessorScope,
  told: PaymentReceived,
  saleId: string,
  deliveryId: string | null,
): Promise<void> {
  const sale = await getReversibleSale(tx, scope.accountId, saleId);
  if (!sale) throw new Error(`Sale ${saleId} of a counted payment is missing`);
  const { learned } = await learnIdentity(tx, scope.accountId, scope.processor, told.customer, sale.customerId);
  if (learned) await attributeWaitingForIdentities(tx, scope, scope.processor, identityKeysOf(told.customer));
  const amounts = {
    currency: told.currency,
    grossAmount: told.grossMinor,
    presentmentAmount: told.presentment?.grossMinor ?? null,
    presentmentCurrency: told.presentment?.currency ?? null,
  };
  await adoptAmounts(tx, scope, saleId, amounts, deliveryId);
}

/** The first word of a processor on an API sale says what was paid, which is the base of its refunds. */
export async function adoptAmounts(
  tx: Transaction,
  scope: Scope,
  saleId: string,
  { currency, ...amounts }: ProcessorAmounts & { currency: string },
  deliveryId: string | null,
): Promise<void> {
  const sale = await getReversibleSale(tx, scope.accountId, saleId);
  if (sale?.fromApi !== 1 || sale.currency !== currency || deliveryId === null) return;
  await rememberDelivery(tx, sale.paymentId, deliveryId);
  if (sale.grossAmount === amounts.grossAmount && amounts.presentmentCurrency === null) return;
  await updateGross(tx, sale, amounts);
  await settleWaiting(tx, scope, saleId);
}
