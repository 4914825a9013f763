import type { ProcessorGuide } from '../contract/guide.ts';

export const guide: ProcessorGuide = {
  name: 'Shopify',
  place: 'Settings → Notifications → Webhooks',
  choose: 'One webhook per event, format JSON, the newest stable API version.',
  events: ['orders/paid', 'refunds/create', 'orders/updated', 'orders/create', 'disputes/create', 'disputes/update'],
  secret: 'The secret below the list of webhooks; for webhooks of an app, its client secret',
  checkout:
    '{% comment %} In the theme, inside the cart form {% endcomment %}\n<input type="hidden" name="attributes[svcCustomerExternalId]" value="{{ customer.metafields.custom.app_user_id.value }}">',
  backfill: {
    accessToken: 'The Admin API access token of an app of the shop, shpat_… (Settings → Apps → Develop apps)',
    permission: 'the scope read_orders',
    reads: 'Orders with their refunds, of the last 60 days; older ones with the scope read_all_orders.',
  },
};
