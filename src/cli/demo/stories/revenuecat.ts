import type { Performance } from '../performance.ts';
import { type DemoStory, KEPT } from '../story.ts';

export const revenuecat: DemoStory = {
  tell,
  ends: [
    {
      invoiceId: 'APP_STORE:380001204417733',
      customer: 'Tomas',
      partner: 'ana',
      matchedBy: 'external_id',
      amount: 799,
      currency: 'eur',
      commission: 160,
      ...KEPT,
      status: 'pending',
    },
    {
      invoiceId: 'APP_STORE:380001219800154',
      customer: 'Tomas',
      partner: 'ana',
      matchedBy: 'external_id',
      amount: 799,
      currency: 'eur',
      commission: 160,
      ...KEPT,
      status: 'pending',
    },
  ],
};

async function tell(play: Performance, now: number): Promise<void> {
  const purchased = { processor: 'revenuecat', overrides: [`event.purchased_at_ms=${now}`] } as const;
  await play.signUp('he signs up', await play.visit('Tomas follows the link of Ana', 'ana'), 'user_5101');
  await play.deliver('he subscribes in the App Store', { ...purchased, event: 'INITIAL_PURCHASE' }, 'sale');
  await play.deliver('his subscription renews', { ...purchased, event: 'RENEWAL' }, 'sale');
}
