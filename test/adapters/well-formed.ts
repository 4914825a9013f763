import { expect } from 'vitest';
import type { CustomerHints, Fact, Interpretation } from '../../src/core/facts.ts';
import { AMOUNT_MAX, parseCurrency } from '../../src/core/money.ts';

/** What holds for every interpretation of whatever bytes: the promises of core/facts.ts. */
export function expectWellFormed(interpretation: Interpretation): void {
  if (interpretation.kind === 'facts') {
    expect(interpretation.facts.length, 'an interpretation without facts is ignored or unknown').toBeGreaterThan(0);
    for (const fact of interpretation.facts) expectFact(fact);
  } else {
    expect(interpretation.reason).toMatch(/\S/);
    expect(interpretation.reason).not.toContain('\0');
  }
}

function expectFact(fact: Fact): void {
  if ('references' in fact) expectReferences(fact.references);
  if ('currency' in fact) expect(parseCurrency(fact.currency)).toBe(fact.currency);
  if ('occurredAt' in fact) expectInteger(fact.occurredAt, 0, Number.MAX_SAFE_INTEGER);
  if ('customer' in fact) expectHints(fact.customer);
  switch (fact.kind) {
    case 'payment.received':
      expectInteger(fact.grossMinor, 1, AMOUNT_MAX);
      expectInteger(fact.netMinor, 0, fact.grossMinor);
      expectInteger(fact.taxMinor, 0, AMOUNT_MAX);
      expectInteger(fact.shippingMinor, 0, AMOUNT_MAX);
      expect(fact.references).toContain(fact.invoiceId);
      break;
    case 'payment.referenced':
      expect(fact.references.length, 'one name alone joins nothing').toBeGreaterThan(1);
      break;
    case 'payment.refunded':
      if ('refundId' in fact.refund) expectText(fact.refund.refundId);
      expectInteger(
        'refundId' in fact.refund ? fact.refund.amountMinor : fact.refund.cumulativeAmountMinor,
        0,
        AMOUNT_MAX,
      );
      break;
    case 'payment.refund_undone':
      expectText(fact.refundId);
      if (fact.amountMinor !== null) expectInteger(fact.amountMinor, 0, AMOUNT_MAX);
      break;
    case 'payment.disputed':
      expectText(fact.disputeId);
      expectInteger(fact.amountMinor, 0, AMOUNT_MAX);
      expect(['open', 'won', 'lost']).toContain(fact.state);
      break;
    case 'customer.identified':
      break;
    case 'noted':
      expect(fact.what).toMatch(/\S/);
      expect(fact.what).not.toContain('\0');
  }
}

function expectReferences(references: string[]): void {
  expect(references.length).toBeGreaterThan(0);
  expect(new Set(references).size).toBe(references.length);
  for (const reference of references) expectText(reference);
}

function expectHints(customer: CustomerHints): void {
  for (const hint of [...customer.externalIds, ...customer.clickIds]) {
    expectText(hint.value);
    expect(hint.place).toMatch(/\S/);
  }
  for (const text of [customer.processorCustomerId, customer.subscriptionId, customer.email, customer.name]) {
    if (text !== null) expectText(text);
  }
  if (customer.email !== null) expect(customer.email).toBe(customer.email.toLowerCase());
}

/** Text that every database stores. */
function expectText(text: string): void {
  expect(text).toBe(text.trim());
  expect(text).not.toBe('');
  expect(text).not.toContain('\0');
  expect(text.isWellFormed()).toBe(true);
}

function expectInteger(value: number, least: number, greatest: number): void {
  expect(Number.isSafeInteger(value), `${value} is no safe integer`).toBe(true);
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(greatest);
}
