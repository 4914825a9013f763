import { isoTime } from '../../../core/time.ts';
import type { Performance } from '../performance.ts';
import { type DemoStory, KEPT } from '../story.ts';

export const lemonSqueezy: DemoStory = {
  tell,
  ends: [
    {
      invoiceId: '6f2c1d8e-94b7-4a05-8c3e-17d5b2a960f4',
      customer: 'Kaia',
      partner: 'ben',
      matchedBy: 'external_id',
      amount: 2900,
      currency: 'eur',
      commission: 870,
      ...KEPT,
      status: 'pending',
    },
    {
      invoiceId: 'subscription-invoices:51977',
      customer: 'Kaia',
      partner: 'ben',
      matchedBy: 'processor_customer',
      amount: 2900,
      currency: 'eur',
      commission: 870,
      // 11.90 of 34.51 were refunded.
      reversed: 300,
      held: 0,
      status: 'pending',
    },
  ],
};

async function tell(play: Performance, now: number): Promise<void> {
  const processor = 'lemon-squeezy' as const;
  const at = (member: string) => `data.attributes.${member}=${isoTime(now)}`;
  const order = { event: 'order_created', variant: 'subscription-first', overrides: [at('created_at')] };
  const invoice = { event: 'subscription_payment_success', variant: 'initial' };
  const renewal = { event: 'subscription_payment_success', variant: 'renewal', overrides: [at('updated_at')] };
  const refundedNow = { overrides: [at('refunded_at'), at('updated_at')] };
  const refund = { event: 'subscription_payment_refunded', variant: 'partial', ...refundedNow };
  await play.signUp('she signs up', await play.visit('Kaia follows the link of Ben', 'ben'), 'user_7201');
  await play.deliver('she subscribes', { processor, ...order }, 'sale');
  await play.deliver('the same payment arrives as an invoice', { processor, ...invoice }, 'noted');
  await play.deliver('her subscription renews', { processor, ...renewal }, 'sale');
  await play.deliver('a part of that is refunded', { processor, ...refund }, 'reversal');
}
