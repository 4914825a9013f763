import { type Problem, validationError } from '../errors.ts';

/** What a CSV file may hold. */
export const CSV_KINDS = ['partners', 'links', 'customers', 'sales', 'commissions', 'payouts'] as const;
export type CsvKind = (typeof CSV_KINDS)[number];

/** A row by field; only cells with text. */
export type Fields = Readonly<Record<string, string | undefined>>;

interface Field {
  required?: true;
  /** Headings in lower case, without blanks and punctuation; the field's own name is one, too. */
  synonyms: readonly string[];
}

const PARTNER = ['partneremail', 'affiliate', 'affiliateemail', 'promoter', 'promoteremail', 'partnerid'];

const CURRENCY = { required: true, synonyms: ['currencycode'] } as const;
const STATUS = ['state', 'commissionstatus', 'rewardstatus'];
const PAYOUT = { synonyms: ['payoutid'] } as const;
const PAID_DATE = { synonyms: ['paidat', 'paidon'] } as const;
const DUE_DATE = { synonyms: ['dueat', 'dueon', 'availableat'] } as const;
const CUSTOMER = ['externalid', 'customerexternalid', 'customerid', 'userid', 'uid'];
const DATE = ['createdat', 'created', 'occurredat', 'createdon'];

const FIELDS: Readonly<Record<CsvKind, Readonly<Record<string, Field>>>> = {
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
    amount: { required: true, synonyms: ['saleamount', 'total', 'revenue', 'netamount'] },
    currency: CURRENCY,
    date: { required: true, synonyms: [...DATE, 'chargedat', 'saledate'] },
    commission: { synonyms: ['commissionamount', 'earnings', 'rewardamount'] },
    status: { synonyms: STATUS },
    grossAmount: { synonyms: ['gross', 'chargeamount'] },
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
    amount: { required: true, synonyms: ['commission', 'commissionamount', 'earnings', 'rewardamount'] },
    currency: CURRENCY,
    status: { required: true, synonyms: STATUS },
    date: { required: true, synonyms: [...DATE, 'earnedat'] },
    customer: { synonyms: CUSTOMER },
    customerEmail: { synonyms: [] },
    saleAmount: { synonyms: ['revenue', 'transactionamount', 'netamount'] },
    grossAmount: { synonyms: ['gross', 'chargeamount'] },
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
    amount: { required: true, synonyms: ['total', 'payoutamount'] },
    currency: CURRENCY,
    status: { required: true, synonyms: ['state', 'payoutstatus'] },
    date: { required: true, synonyms: ['paidat', 'paidon', 'paiddate'] },
  },
};

export interface ColumnMap {
  /** The field of each column; null for one that is not read. */
  fields: readonly (string | null)[];
  /** Headings of columns that are not read. */
  ignored: string[];
}

/**
 * Which field each column holds: what `given` says (heading → field), otherwise by name and synonym.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a required field without a column, two columns of one field, or a mapping of
 *   what does not exist
 */
export function mapColumns(kind: CsvKind, headings: readonly string[], given: ReadonlyMap<string, string>): ColumnMap {
  const known = FIELDS[kind];
  const problems: Problem[] = [];
  for (const [heading, field] of given) {
    if (!headings.includes(heading)) problems.push({ path: heading, message: 'is no column of the file' });
    if (known[field] === undefined) {
      problems.push({ path: field, message: `is no field of ${kind}: ${Object.keys(known).join(', ')}` });
    }
  }
  const mapped = new Set(given.values());
  const fields = headings.map((heading) => given.get(heading) ?? fieldNamed(known, heading, mapped));
  for (const [name, { required }] of Object.entries(known)) {
    const count = fields.filter((field) => field === name).length;
    if (count > 1) problems.push({ path: name, message: 'is in several columns: choose one with --map column=field' });
    if (count === 0 && required) {
      const message = `has no column: name it with --map column=${name} (columns: ${headings.join(', ')})`;
      problems.push({ path: name, message });
    }
  }
  if (problems.length > 0) throw validationError(problems);
  return { fields, ignored: headings.filter((_, column) => fields[column] === null) };
}

function fieldNamed(
  known: Readonly<Record<string, Field>>,
  heading: string,
  mapped: ReadonlySet<string>,
): string | null {
  const plain = heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const named = Object.entries(known).find(
    ([name, { synonyms }]) => name.toLowerCase() === plain || synonyms.includes(plain),
  );
  // a field that was given its column needs no second one
  return named === undefined || mapped.has(named[0]) ? null : named[0];
}

/** The texts of a row by field; empty cells are left out. */
export function fieldsOf({ fields }: ColumnMap, cells: readonly string[]): Fields {
  const found: Record<string, string> = {};
  for (const [column, field] of fields.entries()) {
    const text = cells[column];
    if (field !== null && text !== undefined && text !== '') found[field] = text;
  }
  return found;
}
