import type { ProcessorGuide } from '../contract/guide.ts';

export const guide: ProcessorGuide = {
  name: 'Polar',
  place: 'Settings → Webhooks → Add endpoint',
  choose: 'Format Raw, not Discord or Slack.',
  events: ['order.paid', 'order.refunded', 'refund.created', 'refund.updated', 'order.created', 'customer.created'],
  secret: 'The secret of that endpoint, with its prefix',
  checkout:
    'await polar.checkouts.create({\n  products: [productId],\n  metadata: { svcCustomerExternalId: user.id },\n});',
  backfill: {
    accessToken: 'An organization access token, polar_oat_… (Settings → Developers)',
    permission: 'the scopes orders:read and refunds:read',
    reads: 'Paid orders with their customers, and refunds, however far back.',
  },
};
