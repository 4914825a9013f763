import { isoTime } from '../../../core/time.ts';
import type { DemoDelivery, Performance } from '../performance.ts';
import { type DemoStory, KEPT } from '../story.ts';

export const paddle: DemoStory = {
  tell,
  ends: [
    {
      invoiceId: 'txn_01k9w2p0a2b4c6d8e0f1g3h5jk',
      customer: 'Marta',
      partner: 'cleo',
      matchedBy: 'external_id',
      amount: 4900,
      currency: 'eur',
      commission: 980,
      ...KEPT,
      status: 'pending',
    },
  ],
};

async function tell(play: Performance, now: number): Promise<void> {
  const at = isoTime(now);
  const clickId = await play.visit('Marta follows the link of Cleo', 'cleo');
  const paid: DemoDelivery = {
    processor: 'paddle',
    event: 'transaction.completed',
    variant: 'subscription-first',
    overrides: [
      `occurred_at=${at}`,
      `data.payments.1.captured_at=${at}`,
      'data.custom_data.svcCustomerExternalId=user_2207',
    ],
  };
  await play.deliver('her payment arrives before her sign-up', paid, 'unattributed');
  await play.signUp('she signs up, and the payment is attributed', clickId, 'user_2207');
}
