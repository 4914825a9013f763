import type { CustomerHints, Fact, Hint } from '../../src/core/facts.ts';
import { type MetadataPlace, readEmail, readMetadata, readText } from '../contract/readers.ts';

/** Where an object of Stripe says who paid; lists in the order in which they are to be believed. */
export interface Payer {
  customer: string | null;
  /** Since 2026-03-25.dahlia an account may stand in the customer's place. */
  customer_account: string | null;
  subscription?: string | null;
  metadata: MetadataPlace[];
  /** Click ids that stand elsewhere than in metadata. */
  clickIds?: Hint[];
  emails: unknown[];
  names: unknown[];
}

/** The hints that an object gives; everything may be missing. */
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
 * `customer.identified` where the hints tie an id of Stripe's to anything that a later delivery may be recognised by;
 * otherwise empty.
 */
export function identified(customer: CustomerHints, occurredAt: number): Fact[] {
  const { externalIds, clickIds, processorCustomerId, subscriptionId, email } = customer;
  const isNamed = processorCustomerId !== null || subscriptionId !== null;
  const isPair = processorCustomerId !== null && subscriptionId !== null;
  const isTelling = isPair || externalIds.length > 0 || clickIds.length > 0 || email !== null;
  return isNamed && isTelling ? [{ kind: 'customer.identified', customer, occurredAt }] : [];
}

/** `payment.referenced` where there are two names at least; one alone says nothing. */
export function referenced(references: string[]): Fact[] {
  return references.length > 1 ? [{ kind: 'payment.referenced', references }] : [];
}

function firstOf(values: readonly unknown[], reader: (value: unknown) => string | null): string | null {
  for (const value of values) {
    const text = reader(value);
    if (text !== null) return text;
  }
  return null;
}
