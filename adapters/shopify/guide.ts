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
    accessToken:
      'The access token of an app, shpat_…: the Admin API access token of an app made in the admin (Apps → Develop apps → API credentials), or what an app of the Dev Dashboard gets for its client ID and secret, for 24 hours',
    permission: 'the access scope read_orders',
    reads:
      'Orders with their refunds, of the last 60 days; older ones with the access scope read_all_orders, too. Disputes with read_shopify_payments_disputes.',
  },
};
