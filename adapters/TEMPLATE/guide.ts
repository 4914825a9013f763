import type { ProcessorGuide } from '../contract/guide.ts';

export const guide: ProcessorGuide = {
  name: 'Template',
  place: 'Developers → Webhooks → New',
  choose: 'Format JSON.',
  events: ['payment.succeeded', 'refund.created'],
  secret: 'The signing secret of that webhook',
  checkout: 'metadata: { svcCustomerExternalId: user.id }',
};
