import type { CustomerHints, Fact, Hint } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import { type MetadataPlace, readEmail, readMetadata, readText } from '../contract/readers.ts';
import { ofInvoice } from './paid-invoice.ts';

/** Where a Stripe object names the payer; in each list, the most reliable place comes first. */
export interface Payer {
  customer: string | null;
  /** Since 2026-03-25.dahlia, an account may replace the customer. */
  customer_account: string | null;
  subscription?: string | null;
  metadata: MetadataPlace[];
  /** Click ids found outside metadata. */
  clickIds?: Hint[];
  emails: unknown[];
  names: unknown[];
}

/** Returns the hints in a Stripe object; any of them may be missing. */
export function customerHints(payer: Payer): CustomerHints {
  const { externalIds, clickIds } = readMetadata(payer.metadata);
  return {
    externalIds,
    clickIds: [...clickIds, ...(payer.clickIds ?? [])],
    processorCustomerId: payer.customer ?? payer.customer_account,
    subscriptionId: payer.subscription ?? null,
    email: firstOf(payer.emails, readEmail),
    name: firstOf(payer.names, readText),
  };
}

/**
 * Returns `customer.identified` if the hints or codes link a Stripe customer or subscription id to anything that a later
 * delivery can match; otherwise an empty list.
 */
export function identified(customer: CustomerHints, occurredAt: number, discountCodes: string[] = []): Fact[] {
  const { externalIds, clickIds, processorCustomerId, subscriptionId, email } = customer;
  const isNamed = processorCustomerId !== null || subscriptionId !== null;
  const isPair = processorCustomerId !== null && subscriptionId !== null;
  const isTelling = isPair || externalIds.length > 0 || clickIds.length > 0 || email !== null;
  if (!isNamed || (!isTelling && discountCodes.length === 0)) return [];
  return [identifiedFact(customer, occurredAt, discountCodes)];
}

/**
 * Returns `payment.referenced` for two or more references; a single one links nothing, so the list is empty.
 *
 * @param invoice the invoice among the references, if there is one
 */
export function referenced(references: string[], invoice: string | null): Fact[] {
  return references.length > 1 ? [{ kind: 'payment.referenced', references, ...ofInvoice(invoice) }] : [];
}

/**
 * Returns who paid by the payment's references, if the hints name a person of the caller: the session or invoice of the
 * same payment may name nobody, and its Stripe customer may pay for several. What the Stripe customer or subscription
 * identifies anyway is left out.
 *
 * @param invoice see `referenced`
 */
export function paidBy(customer: CustomerHints, references: string[], invoice: string | null): Fact[] {
  const { externalIds, clickIds, processorCustomerId, subscriptionId } = customer;
  if (references.length === 0 || externalIds.length + clickIds.length === 0) return [];
  const isIdentified = processorCustomerId !== null || subscriptionId !== null;
  const payer = isIdentified ? { ...customer, email: null, name: null } : customer;
  return [{ kind: 'payment.referenced', references, ...ofInvoice(invoice), customer: payer }];
}

function firstOf(values: readonly unknown[], reader: (value: unknown) => string | null): string | null {
  for (const value of values) {
    const text = reader(value);
    if (text !== null) return text;
  }
  return null;
}
