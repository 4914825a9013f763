import { isoTime } from '../../../core/time.ts';
import type { DemoDelivery, Performance } from '../performance.ts';
import { type DemoStory, KEPT } from '../story.ts';

export const shopify: DemoStory = {
  tell,
  ends: [
    {
      invoiceId: 'gid://shopify/Order/6184520093761',
      customer: 'Ines',
      partner: 'ben',
      matchedBy: 'metadata_click_id',
      amount: 9900,
      currency: 'usd',
      commission: 2970,
      reversed: 0,
      held: 2970,
      status: 'disputed',
    },
    {
      invoiceId: 'gid://shopify/Order/6184520099999',
      customer: 'Noor',
      partner: 'cleo',
      matchedBy: 'discount_code',
      amount: 9900,
      currency: 'usd',
      commission: 1980,
      ...KEPT,
      status: 'pending',
    },
  ],
};

async function tell(play: Performance, now: number): Promise<void> {
  const clickId = await play.visit('Ines follows the link of Ben', 'ben');
  const notes = JSON.stringify([{ name: 'svc_id', value: clickId }]);
  await play.deliver(
    'she pays without an account; the cart has her click',
    shopifyOrder(now, [`note_attributes=${notes}`, 'discount_codes=[]', 'discount_applications=[]']),
    'sale',
  );
  const dispute = { event: 'disputes/create', overrides: [`initiated_at=${isoTime(now)}`] };
  await play.deliver('her bank disputes it', { processor: 'shopify', ...dispute }, 'reversal');
  await play.deliver(
    'Noor, a new customer, uses a code of Cleo',
    shopifyOrder(now, [
      'id=6184520099999',
      'admin_graphql_api_id=gid://shopify/Order/6184520099999',
      'note_attributes=[]',
      'customer=null',
      'email=noor@example.com',
      'contact_email=noor@example.com',
    ]),
    'sale',
  );
}

function shopifyOrder(now: number, overrides: readonly string[]): DemoDelivery {
  const processedAt = `processed_at=${isoTime(now)}`;
  return { processor: 'shopify', event: 'orders/paid', overrides: [processedAt, ...overrides] };
}
