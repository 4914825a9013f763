import type { Interpretation } from '../../src/core/facts.ts';
import { NO_CHARGE } from '../../src/core/refunded.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { about, factsOrReason, quoted } from './event.ts';
import { moneyOf } from './money.ts';
import { type CreditNote, creditNoteSchema } from './payload.ts';

/**
 * `credit_note.created`, `credit_note.voided`: the part that the merchant paid back outside of Stripe (cash, a bank
 * transfer) is a refund of the invoice. What Stripe itself pays back has its own events.
 */
export const creditNoteChanged = about(creditNoteSchema, (note, event): Interpretation => {
  const { id, invoice, currency, status } = note;
  const paidOutside = paidOutsideOf(note);
  if (paidOutside === 0) return factsOrReason([], `Credit note ${id} paid nothing back outside of Stripe`);
  if (invoice === null) return unknown(`${event.type}: credit note ${quoted(id)} names no invoice`);
  const money = moneyOf(paidOutside, currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  const { amountMinor, unit } = money;
  const refund = { refundId: id, amountMinor, chargeId: NO_CHARGE };
  const shared = { references: [invoice], currency: unit.currency, occurredAt: event.occurredAt };
  switch (status) {
    case 'issued':
      return facts([{ kind: 'payment.refunded', refund, ...shared }]);
    case 'void':
      return facts([{ kind: 'payment.refund_undone', ...refund, ...shared }]);
    default:
      return unknown(`${event.type}: the credit note status ${quoted(status)} is not known`);
  }
});

/**
 * A payment that another processor received is a payment record, whose refund only the credit note reports. One of Stripe's
 * own payments has a refund with events of its own.
 */
function paidOutsideOf({ out_of_band_amount: unrecorded, refunds }: CreditNote): number {
  const recorded = refunds?.filter(({ type, refund }) => type === 'payment_record_refund' && refund === null) ?? [];
  return recorded.reduce((sum, { amount_refunded: amount }) => sum + amount, unrecorded ?? 0);
}
