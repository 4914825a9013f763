/** The five processors, by the one name that is URL segment, database value, folder and fixture folder. */
export const PROCESSORS = ['stripe', 'shopify', 'polar', 'paddle', 'revenuecat'] as const;

export type Processor = (typeof PROCESSORS)[number];

/** What `paymentProcessor` of a sale may say (specification 2.3). */
export const PAYMENT_PROCESSORS = [...PROCESSORS, 'custom'] as const;
