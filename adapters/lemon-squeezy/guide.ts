import type { ProcessorGuide } from '../contract/guide.ts';

export const guide: ProcessorGuide = {
  name: 'Lemon Squeezy',
  place: 'Settings → Webhooks → +',
  choose: 'Enter the secret below there, too.',
  events: [
    'order_created',
    'order_refunded',
    'subscription_payment_success',
    'subscription_payment_refunded',
    'subscription_created',
    'subscription_updated',
  ],
  secret: 'A secret of your own choice, 6 to 40 characters',
  isSecretOurs: true,
  checkout:
    'await createCheckout(storeId, variantId, {\n  checkoutData: { custom: { svcCustomerExternalId: user.id } },\n});',
  backfill: {
    unavailable:
      'The API of Lemon Squeezy does not return the custom data of a checkout, which names the buyer: in its dashboard, resend the failed webhooks.',
  },
};
