import { isoTime } from '../../../core/time.ts';
import type { Performance } from '../performance.ts';
import type { DemoStory } from '../story.ts';

export const polar: DemoStory = {
  tell,
  ends: [
    {
      invoiceId: '81c6a3f0-2d5e-47b9-9a10-4e7c8b2d6f31',
      customer: 'Priya',
      partner: 'ben',
      matchedBy: 'external_id',
      amount: 2900,
      currency: 'usd',
      commission: 870,
      reversed: 870,
      held: 0,
      status: 'refunded',
    },
  ],
};

async function tell(play: Performance, now: number): Promise<void> {
  const overrides = [`timestamp=${isoTime(now)}`, 'data.id=81c6a3f0-2d5e-47b9-9a10-4e7c8b2d6f31'];
  const polar = { processor: 'polar', overrides } as const;
  await play.signUp('she signs up', await play.visit('Priya follows the link of Ben', 'ben'), 'user_4711');
  await play.deliver('she subscribes', { ...polar, event: 'order.paid', variant: 'subscription-first' }, 'sale');
  await play.deliver('she gets a full refund', { ...polar, event: 'order.refunded', variant: 'full' }, 'reversal');
}
