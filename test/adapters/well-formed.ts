import type { CustomerHints, Fact, Interpretation } from '../../src/core/facts.ts';
import { AMOUNT_MAX, parseCurrency } from '../../src/core/money.ts';

/**
 * The promises of core/facts.ts that an interpretation breaks; empty when it is well formed. A list rather than
 * assertions, because it checks many thousands of interpretations.
 */
export function flawsOf(interpretation: Interpretation): string[] {
  if (interpretation.kind !== 'facts') return sentenceFlaws('reason', interpretation.reason);
  if (interpretation.facts.length === 0) return ['no facts: this is ignored or unknown'];
  return interpretation.facts.flatMap((fact) => factFlaws(fact).map((flaw) => `${fact.kind}: ${flaw}`));
}

function factFlaws(fact: Fact): string[] {
  const flaws: string[] = [];
  if ('references' in fact && fact.references) flaws.push(...referenceFlaws(fact.references));
  if ('currency' in fact && fact.currency !== null && parseCurrency(fact.currency) !== fact.currency) {
    flaws.push(`currency ${fact.currency}`);
  }
  if ('occurredAt' in fact) flaws.push(...integerFlaws('occurredAt', fact.occurredAt, 0, Number.MAX_SAFE_INTEGER));
  if ('customer' in fact && fact.customer) flaws.push(...hintFlaws(fact.customer));
  return [...flaws, ...flawsOfKind(fact)];
}

function flawsOfKind(fact: Fact): string[] {
  switch (fact.kind) {
    case 'payment.received':
    case 'payment.announced':
      return [
        ...integerFlaws('gross', fact.grossMinor, 1, AMOUNT_MAX),
        ...integerFlaws('net', fact.netMinor, 0, fact.grossMinor),
        ...integerFlaws('tax', fact.taxMinor, 0, AMOUNT_MAX),
        ...integerFlaws('shipping', fact.shippingMinor, 0, AMOUNT_MAX),
        ...(fact.invoiceId !== null && fact.references.includes(fact.invoiceId)
          ? []
          : ['the invoice id is not among the references']),
      ];
    case 'payment.captured':
      return integerFlaws('amount', fact.amountMinor, 1, AMOUNT_MAX);
    case 'payment.referenced':
      return fact.references.length > 1 || fact.customer ? [] : ['one name alone joins nothing'];
    case 'payment.refunded':
      return 'refundId' in fact.refund
        ? [
            ...textFlaws('refundId', fact.refund.refundId),
            ...integerFlaws('amount', fact.refund.amountMinor, 0, AMOUNT_MAX),
            ...integerFlaws('part', fact.refund.commissionableMinor ?? 0, 0, fact.refund.amountMinor),
          ]
        : integerFlaws('cumulative amount', fact.refund.cumulativeAmountMinor, 0, AMOUNT_MAX);
    case 'payment.refund_undone':
      return [
        ...textFlaws('refundId', fact.refundId),
        ...(fact.amountMinor === null ? [] : integerFlaws('amount', fact.amountMinor, 0, AMOUNT_MAX)),
        ...(fact.amountMinor !== null && fact.currency === null ? ['an amount without a currency'] : []),
      ];
    case 'payment.disputed':
      return [
        ...textFlaws('disputeId', fact.disputeId),
        ...integerFlaws('amount', fact.amountMinor, 0, AMOUNT_MAX),
        ...(['open', 'won', 'lost', 'returned'].includes(fact.state) ? [] : [`state ${fact.state}`]),
      ];
    case 'customer.identified':
    case 'customer.erased':
    case 'endpoint.erased':
      return [];
    case 'noted':
      return sentenceFlaws('what', fact.what);
  }
}

function referenceFlaws(references: string[]): string[] {
  const flaws = references.flatMap((reference) => textFlaws('reference', reference));
  if (references.length === 0) flaws.push('no references');
  if (new Set(references).size !== references.length) flaws.push('a reference is repeated');
  return flaws;
}

function hintFlaws(customer: CustomerHints): string[] {
  const { externalIds, clickIds, processorCustomerId, subscriptionId, email, name } = customer;
  const hints = [...externalIds, ...clickIds].flatMap(({ value, place }) => [value, place]);
  const texts = [processorCustomerId, subscriptionId, email, name].filter((text) => text !== null);
  const flaws = [...hints, ...texts].flatMap((text) => textFlaws('hint', text));
  if (email !== null && email !== email.toLowerCase()) flaws.push('the e-mail address is not lower-cased');
  return flaws;
}

/** Text that both engines can store. */
function textFlaws(name: string, text: unknown): string[] {
  const isFine =
    typeof text === 'string' && text !== '' && text === text.trim() && !text.includes('\0') && text.isWellFormed();
  return isFine ? [] : [`${name} ${JSON.stringify(text)} is not usable text`];
}

function sentenceFlaws(name: string, sentence: string): string[] {
  const flaws = textFlaws(name, sentence);
  return sentence.length > 1000 ? [...flaws, `${name} is endless`] : flaws;
}

function integerFlaws(name: string, value: number, least: number, greatest: number): string[] {
  const isFine = Number.isSafeInteger(value) && !Object.is(value, -0) && value >= least && value <= greatest;
  return isFine ? [] : [`${name} ${value} is not an integer from ${least} to ${greatest}`];
}
