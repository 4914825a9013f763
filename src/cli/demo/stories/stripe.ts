import { DAY_MS } from '../../../core/time.ts';
import type { DemoDelivery, Performance } from '../performance.ts';
import { type DemoStory, KEPT } from '../story.ts';

export const stripe: DemoStory = {
  tell,
  ends: [
    {
      invoiceId: 'in_1TdAurora3MaraFirst',
      customer: 'Mara',
      partner: 'ana',
      matchedBy: 'external_id',
      amount: 4410,
      currency: 'usd',
      commission: 882,
      ...KEPT,
      // The payment is a month old, so the hold is over.
      status: 'approved',
    },
    {
      invoiceId: 'in_1TozAurora3MaraRenew',
      customer: 'Mara',
      partner: 'ana',
      matchedBy: 'processor_customer',
      amount: 4900,
      currency: 'usd',
      commission: 980,
      // 20.00 of 61.25 were refunded.
      reversed: 320,
      held: 0,
      status: 'pending',
    },
  ],
};

async function tell(play: Performance, now: number): Promise<void> {
  const clickId = await play.visit('Mara follows the link of Ana', 'ana');
  await play.signUp('she signs up', clickId, 'user_1042');
  const aMonthAgo = now - 31 * DAY_MS;
  const session = stripeEvent('checkout.session.completed', 'subscription', aMonthAgo);
  const first = stripeEvent('invoice.paid', 'first', aMonthAgo, paidAt(aMonthAgo));
  await play.deliver('she subscribes; the session identifies her', session, 'noted');
  await play.deliver('her first invoice is paid', first, 'sale');
  await play.deliver('Stripe delivers that again', first, 'duplicate');
  await play.deliver('somebody forges one', { ...first, forged: true }, 'rejected');
  const reported = { clickId, customerExternalId: 'user_1042', amount: 5513, invoiceId: 'in_1TdAurora3MaraFirst' };
  await play.reportSale('the backend reports the same invoice', reported, '409 DUPLICATE_INVOICE');
  // A common mistake: the renewal identifies the customer only by Stripe's own ids.
  const renewal = stripeEvent('invoice.paid', 'renewal', now, [
    ...paidAt(now),
    'data.object.parent.subscription_details.metadata={}',
    'data.object.lines.data.0.metadata={}',
  ]);
  await play.deliver('her subscription renews without metadata', renewal, 'sale');
  await play.deliver(
    'Stripe links the payment to that invoice',
    stripeEvent('invoice_payment.paid', 'renewal', now),
    'noted',
  );
  await play.deliver('a part of that is refunded', stripeEvent('charge.refunded', 'partial', now), 'reversal');
}

function stripeEvent(event: string, variant: string, at: number, overrides: readonly string[] = []): DemoDelivery {
  return { processor: 'stripe', event, variant, overrides: [`created=${seconds(at)}`, ...overrides] };
}

function paidAt(at: number): string[] {
  return [`data.object.status_transitions.paid_at=${seconds(at)}`];
}

function seconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
