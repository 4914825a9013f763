import type { PartnerKey } from './stage.ts';

/** A sale as the story says that it must end; amounts in minor units. */
export interface ExpectedSale {
  invoiceId: string;
  customer: string;
  partner: PartnerKey;
  matchedBy: string;
  amount: number;
  currency: string;
  commission: number;
  reversed: number;
  held: number;
  status: string;
}

const KEPT = { reversed: 0, held: 0 };

/** In the order of the story. 20 % for Ana and Cleo, 30 % for Ben, of what was paid without tax and shipping. */
export const EXPECTED_SALES: readonly ExpectedSale[] = [
  {
    invoiceId: 'in_1TdAurora3MaraFirst',
    customer: 'Mara',
    partner: 'ana',
    matchedBy: 'external_id',
    amount: 4410,
    currency: 'usd',
    commission: 882,
    ...KEPT,
    // a month old, so the hold is over
    status: 'approved',
  },
  {
    invoiceId: 'in_1TozAurora3MaraRenew',
    customer: 'Mara',
    partner: 'ana',
    matchedBy: 'processor_customer',
    amount: 4900,
    currency: 'usd',
    commission: 980,
    // 20.00 of 61.25 went back
    reversed: 320,
    held: 0,
    status: 'pending',
  },
  {
    invoiceId: 'gid://shopify/Order/6184520093761',
    customer: 'Ines',
    partner: 'ben',
    matchedBy: 'metadata_click_id',
    amount: 9900,
    currency: 'usd',
    commission: 2970,
    reversed: 0,
    held: 2970,
    status: 'disputed',
  },
  {
    invoiceId: 'gid://shopify/Order/6184520099999',
    customer: 'Noor',
    partner: 'cleo',
    matchedBy: 'discount_code',
    amount: 9900,
    currency: 'usd',
    commission: 1980,
    ...KEPT,
    status: 'pending',
  },
  {
    invoiceId: 'txn_01k9w2p0a2b4c6d8e0f1g3h5jk',
    customer: 'Marta',
    partner: 'cleo',
    matchedBy: 'external_id',
    amount: 4900,
    currency: 'eur',
    commission: 980,
    ...KEPT,
    status: 'pending',
  },
  {
    invoiceId: '81c6a3f0-2d5e-47b9-9a10-4e7c8b2d6f31',
    customer: 'Priya',
    partner: 'ben',
    matchedBy: 'external_id',
    amount: 2900,
    currency: 'usd',
    commission: 870,
    reversed: 870,
    held: 0,
    status: 'refunded',
  },
  {
    invoiceId: 'APP_STORE:380001204417733',
    customer: 'Tomas',
    partner: 'ana',
    matchedBy: 'external_id',
    amount: 799,
    currency: 'eur',
    commission: 160,
    ...KEPT,
    status: 'pending',
  },
  {
    invoiceId: 'APP_STORE:380001219800154',
    customer: 'Tomas',
    partner: 'ana',
    matchedBy: 'external_id',
    amount: 799,
    currency: 'eur',
    commission: 160,
    ...KEPT,
    status: 'pending',
  },
];
