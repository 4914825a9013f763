import type { ProcessorGuide } from '../contract/guide.ts';

/** In the words of the form that creates a restricted key. */
export const PERMISSION = 'the permission Read for all Core, Checkout and Billing resources';

export const guide: ProcessorGuide = {
  name: 'Stripe',
  place: 'Developers → Webhooks → Add destination',
  choose: 'Your account, payload style Snapshot (not Thin).',
  events: [
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'invoice.paid',
    'invoice_payment.paid',
    'payment_intent.succeeded',
    'charge.refunded',
    'charge.refund.updated',
    'refund.created',
    'refund.updated',
    'refund.failed',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
    'customer.discount.created',
    'customer.discount.updated',
  ],
  secret: 'The signing secret of that destination, whsec_…',
  checkout:
    "const metadata = {\n  svcCustomerExternalId: user.id,\n};\nawait stripe.checkout.sessions.create({\n  mode: 'subscription',\n  metadata,\n  subscription_data: { metadata },\n  …\n});",
  backfill: {
    accessToken: 'A restricted key, rk_live_… (Developers → API keys → Create restricted key)',
    permission: PERMISSION,
    reads:
      'Events of the last 28 days; before that, completed Checkout sessions, paid invoices, payments, refunds, disputes and credit notes.',
  },
};
