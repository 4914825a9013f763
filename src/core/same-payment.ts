import type { CustomerHints, Hint, PaymentReceived } from './facts.ts';

/**
 * A payment with what another delivery about the same payment says of its customer. Amounts, invoice and moment stay
 * those of `payment`; hints, codes and references add up, its own first.
 */
export function withHintsOf(payment: PaymentReceived, other: PaymentReceived): PaymentReceived {
  return {
    ...payment,
    references: [...new Set([...payment.references, ...other.references])],
    customer: joinedHints(payment.customer, other.customer),
    discountCodes: [...new Set([...payment.discountCodes, ...other.discountCodes])],
  };
}

function joinedHints(hints: CustomerHints, others: CustomerHints): CustomerHints {
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
