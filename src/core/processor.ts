/** Every processor. The name is also the URL segment, the database value, the adapter folder and the fixture folder. */
export const PROCESSORS = ['stripe', 'shopify', 'polar', 'paddle', 'revenuecat', 'lemon-squeezy'] as const;

export type Processor = (typeof PROCESSORS)[number];

/** The values of a sale's `paymentProcessor`. */
export const PAYMENT_PROCESSORS = [...PROCESSORS, 'custom'] as const;

export type PaymentProcessor = (typeof PAYMENT_PROCESSORS)[number];
