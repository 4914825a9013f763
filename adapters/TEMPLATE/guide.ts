import type { ProcessorGuide } from '../contract/guide.ts';

// TEMPLATE: say how an operator creates the webhook, for the dashboard; the events must be those of the setup page.
export const guide: ProcessorGuide = {
  name: 'Template',
  place: 'Developers → Webhooks → New',
  choose: 'Format JSON.',
  events: ['payment.paid', 'refund.updated', 'dispute.updated', 'customer.updated'],
  secret: 'The signing secret of that webhook',
  checkout: 'metadata: { svcCustomerExternalId: user.id }',
  // TEMPLATE: for a processor whose API lists past payments, add backfill.ts, and describe its credential here.
  backfill: { unavailable: 'Template has no list of past payments: resend failed deliveries in its dashboard.' },
};
