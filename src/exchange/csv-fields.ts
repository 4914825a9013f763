/** What a CSV file may hold. */
export const CSV_KINDS = ['partners', 'links', 'customers', 'sales', 'commissions', 'payouts'] as const;
export type CsvKind = (typeof CSV_KINDS)[number];

export interface CsvField {
  required?: true;
  isAmount?: true;
  /** Headings in lower case, without blanks and punctuation; the field's own name also counts. */
  synonyms: readonly string[];
}

const PARTNER = ['partneremail', 'affiliate', 'affiliateemail', 'promoter', 'promoteremail', 'partnerid'];

const GROSS = { isAmount: true, synonyms: ['gross', 'chargeamount'] } as const;
// the column of another service may be of refunds that did not lower the amount
const REFUNDED = { isAmount: true, synonyms: [] } as const;
const CURRENCY = { required: true, synonyms: ['currencycode'] } as const;
const STATUS = ['state', 'commissionstatus', 'rewardstatus'];
const PAYOUT = { synonyms: ['payoutid'] } as const;
const PAID_DATE = { synonyms: ['paidat', 'paidon'] } as const;
const DUE_DATE = { synonyms: ['dueat', 'dueon', 'availableat'] } as const;
const CUSTOMER = ['externalid', 'customerexternalid', 'customerid', 'userid', 'uid'];
const DATE = ['createdat', 'created', 'occurredat', 'createdon'];

/** What a row of each kind may contain. */
export const CSV_FIELDS: Readonly<Record<CsvKind, Readonly<Record<string, CsvField>>>> = {
  partners: {
    email: { required: true, synonyms: ['emailaddress', 'mail', ...PARTNER.filter((name) => name.endsWith('email'))] },
    name: { synonyms: ['fullname', 'displayname', 'partnername', 'affiliatename', 'promotername', 'company'] },
    firstName: { synonyms: ['givenname'] },
    lastName: { synonyms: ['familyname', 'surname'] },
    tenantId: { synonyms: ['externalid', 'affiliateid', 'promoterid'] },
    discountCodes: { synonyms: ['discountcode', 'coupon', 'coupons', 'couponcode', 'couponcodes', 'promocode'] },
  },
  links: {
    partner: { required: true, synonyms: [...PARTNER, 'email'] },
    key: { required: true, synonyms: ['token', 'slug', 'code', 'referralcode', 'reftoken', 'refid', 'via'] },
    url: { required: true, synonyms: ['destination', 'destinationurl', 'targeturl', 'landingpage'] },
    domain: { synonyms: ['host', 'hostname'] },
  },
  customers: {
    externalId: { required: true, synonyms: ['customerexternalid', 'customerid', 'userid', 'uid', 'customer'] },
    partner: { required: true, synonyms: PARTNER },
    email: { synonyms: ['customeremail', 'emailaddress'] },
    name: { synonyms: ['customername', 'fullname'] },
    stripeCustomerId: { synonyms: ['stripeid', 'stripecustomer'] },
    processor: { synonyms: ['paymentprocessor'] },
    processorCustomerId: { synonyms: [] },
  },
  sales: {
    invoiceId: { required: true, synonyms: ['invoice', 'orderid', 'order', 'transactionid', 'transaction', 'saleid'] },
    partner: { required: true, synonyms: PARTNER },
    customer: { required: true, synonyms: CUSTOMER },
    amount: { required: true, isAmount: true, synonyms: ['saleamount', 'total', 'revenue', 'netamount'] },
    currency: CURRENCY,
    date: { required: true, synonyms: [...DATE, 'chargedat', 'saledate'] },
    commission: { isAmount: true, synonyms: ['commissionamount', 'earnings', 'rewardamount'] },
    status: { synonyms: STATUS },
    grossAmount: GROSS,
    refundedAmount: REFUNDED,
    customerEmail: { synonyms: [] },
    processor: { synonyms: ['paymentprocessor', 'source'] },
    reference: { synonyms: ['chargeid', 'charge', 'stripechargeid', 'paymentid'] },
    payout: PAYOUT,
    paidDate: PAID_DATE,
    dueDate: DUE_DATE,
  },
  commissions: {
    id: { required: true, synonyms: ['commissionid', 'rewardid', 'key'] },
    partner: { required: true, synonyms: PARTNER },
    amount: {
      required: true,
      isAmount: true,
      synonyms: ['commission', 'commissionamount', 'earnings', 'rewardamount'],
    },
    currency: CURRENCY,
    status: { required: true, synonyms: STATUS },
    date: { required: true, synonyms: [...DATE, 'earnedat'] },
    customer: { synonyms: CUSTOMER },
    customerEmail: { synonyms: [] },
    saleAmount: { isAmount: true, synonyms: ['revenue', 'transactionamount', 'netamount'] },
    grossAmount: GROSS,
    refundedAmount: REFUNDED,
    invoiceId: { synonyms: ['invoice', 'orderid', 'order', 'transactionid', 'transaction', 'saleid'] },
    processor: { synonyms: ['paymentprocessor', 'source'] },
    reference: { synonyms: ['chargeid', 'charge', 'stripechargeid', 'paymentid'] },
    payout: PAYOUT,
    paidDate: PAID_DATE,
    dueDate: DUE_DATE,
  },
  payouts: {
    id: { required: true, synonyms: ['payoutid'] },
    partner: { required: true, synonyms: PARTNER },
    amount: { required: true, isAmount: true, synonyms: ['total', 'payoutamount'] },
    currency: CURRENCY,
    status: { required: true, synonyms: ['state', 'payoutstatus'] },
    date: { required: true, synonyms: ['paidat', 'paidon', 'paiddate'] },
  },
};
