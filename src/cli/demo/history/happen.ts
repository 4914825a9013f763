import type { Service } from '../../../app/service.ts';
import { trackLead } from '../../../payments/lead.ts';
import { reportRefundOfInvoice } from '../../../payments/report-refund.ts';
import { leadInput } from '../../../payments/resources/customer-schemas.ts';
import { invoiceRefundInput, saleInput } from '../../../payments/resources/sale-schemas.ts';
import { trackSale } from '../../../payments/sale.ts';
import { parseInput } from '../../../schema/parse.ts';
import type { FurnishedStage } from '../furnish.ts';
import { createStripe } from './deliver.ts';
import { serviceAt } from './past.ts';
import type { Happening, PlannedCustomer } from './plan.ts';
import { disputedCharge, linkedPayment, paidInvoice, refundedCharge } from './stripe-events.ts';

/** Makes one thing happen; settles after its commit. */
export type Happen = (happening: Happening) => Promise<void>;

export async function createHappen(service: Service, stage: FurnishedStage): Promise<Happen> {
  const deliver = await createStripe(service, stage);
  const { accountId } = stage;
  return async (happening) => {
    const { kind, at, customer } = happening;
    const past = serviceAt(service, at);
    if (kind === 'lead') {
      const lead = { clickId: customer.clickId, eventName: 'Sign up', ...personOf(customer) };
      await trackLead(past, accountId, parseInput(leadInput, lead));
      return;
    }
    const { month } = happening;
    if (customer.paysBy === 'stripe') {
      await Promise.all(stripeBodies(happening, month).map((body) => deliver(body, at)));
      return;
    }
    const { clickId, amount, currency } = customer;
    const invoiceId = `FF-${String(customer.number).padStart(5, '0')}-${month + 1}`;
    if (kind === 'payment') {
      const sale = { clickId, ...personOf(customer), amount, currency, invoiceId, eventName: 'Subscription' };
      await trackSale(past, accountId, parseInput(saleInput, sale));
      return;
    }
    // in every third case, only half is refunded: the other half was used
    const refund = { refundId: `re_${invoiceId}`, amount: customer.number % 3 === 0 ? Math.floor(amount / 2) : amount };
    await reportRefundOfInvoice(past, accountId, parseInput(invoiceRefundInput, { invoiceId, ...refund }));
  };
}

function personOf({ externalId, email, name }: PlannedCustomer) {
  return { customerExternalId: externalId, customerEmail: email, customerName: name };
}

function stripeBodies({ kind, at, customer }: Happening, month: number): Buffer[] {
  switch (kind) {
    case 'lead':
      return [];
    case 'payment':
      return [paidInvoice(customer, month, at)];
    case 'refund':
      return [linkedPayment(customer, month, at), refundedCharge(customer, month, at)];
    case 'dispute':
      return [linkedPayment(customer, month, at), disputedCharge(customer, month, at, false)];
    case 'dispute lost':
      return [disputedCharge(customer, month, at, true)];
    case 'refund in another currency':
      return [linkedPayment(customer, month, at), refundedCharge(customer, month, at, 'eur')];
  }
}
