import type { ProcessorGuide } from '../contract/guide.ts';

export const guide: ProcessorGuide = {
  name: 'Paddle',
  place: 'Developer tools → Notifications → New destination',
  choose: 'Type URL, usage Platform.',
  events: [
    'transaction.completed',
    'adjustment.created',
    'adjustment.updated',
    'customer.created',
    'subscription.created',
  ],
  secret: 'The secret key of that destination, pdl_ntfset_… (open it again after saving)',
  checkout: 'Paddle.Checkout.open({\n  items,\n  customData: { svcCustomerExternalId: user.id },\n});',
  backfill: {
    accessToken: 'An API key, pdl_live_apikey_… (Developer tools → Authentication → API keys)',
    permission: 'the permissions transaction.read, customer.read and adjustment.read',
    reads:
      'Completed transactions with their customers, refunds and chargebacks, however far back. Changes of subscriptions are not read.',
  },
};
