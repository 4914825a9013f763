import type { ProcessorGuide } from '../contract/guide.ts';

export const guide: ProcessorGuide = {
  name: 'RevenueCat',
  place: 'Integrations → Webhooks → Add new configuration',
  choose: 'Environment Production, all events. Enter the text below as the authorization header value, too.',
  events: ['All events'],
  secret: 'The signing secret of HMAC webhook signing, shown once; optional beside the authorization value',
  checkout: 'Purchases.shared.attribution.setAttributes(\n  ["svcCustomerExternalId": user.id]\n)',
  backfill: { unavailable: 'RevenueCat has no list of past purchases: in its dashboard, resend the failed events.' },
};
