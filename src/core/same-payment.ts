import type { CustomerHints, Hint, PaymentReceived } from './facts.ts';

/**
 * Merges what another delivery about the same payment says about its customer. Keeps the amounts, invoice and time of
 * `payment`; combines hints, codes and references, those of `payment` first.
 */
export function withHintsOf(payment: PaymentReceived, other: PaymentReceived): PaymentReceived {
  return {
    ...payment,
    references: [...new Set([...payment.references, ...other.references])],
    customer: mergeHints(payment.customer, other.customer),
    discountCodes: [...new Set([...payment.discountCodes, ...other.discountCodes])],
  };
}

function mergeHints(hints: CustomerHints, others: CustomerHints): CustomerHints {
  return {
    externalIds: distinctHints([...hints.externalIds, ...others.externalIds]),
    clickIds: distinctHints([...hints.clickIds, ...others.clickIds]),
    processorCustomerId: hints.processorCustomerId ?? others.processorCustomerId,
    subscriptionId: hints.subscriptionId ?? others.subscriptionId,
    email: hints.email ?? others.email,
    name: hints.name ?? others.name,
  };
}

function distinctHints(hints: readonly Hint[]): Hint[] {
  return hints.filter((hint, index) => hints.findIndex(({ value }) => value === hint.value) === index);
}
