import { z } from 'zod';
import { CSV_TYPE, csvLine } from '../../core/csv.ts';
import { maskedEmail } from '../../core/masked-email.ts';
import { minorToDecimal, parseCurrency } from '../../core/money.ts';
import { bankName, optional, optionalIban, payableEmail, text } from '../contract/fields.ts';
import { maskedIban } from '../contract/iban.ts';
import type { FileRail, PaymentWithDetails } from '../contract/rail.ts';

const details = z.object({
  name: bankName.describe("The full name of the account's holder."),
  email: payableEmail.describe('Where Wise asks for the account if it is not known.'),
  receiverType: z
    .enum(['PRIVATE', 'BUSINESS'], { error: 'must be PRIVATE or BUSINESS' })
    .describe('Whether the holder is a person or a business.'),
  iban: optionalIban.describe('The account, if it has an IBAN.'),
});

type Details = z.output<typeof details>;

/**
 * The most characters of a reference, for currencies in which it is too short for an id.
 * https://wise.com/help/articles/2932870
 */
const REFERENCE_MAX: Readonly<Record<string, number>> = {
  aud: 18,
  czk: 25,
  gbp: 16,
  inr: 16,
  ngn: 14,
  nzd: 12,
  sek: 12,
  sgd: 25,
  usd: 10,
  zar: 18,
};

/** The end of a short id tells payouts of one run apart, unlike its beginning. */
const referenceOf = ({ shortId, currency }: Row) => shortId.slice(-(REFERENCE_MAX[currency] ?? shortId.length));

/** The possible columns of a template, by heading. */
const CELLS = {
  name: (row: Row) => row.details.name,
  recipientEmail: (row: Row) => row.details.email,
  paymentReference: referenceOf,
  receiverType: (row: Row) => row.details.receiverType,
  amountCurrency: () => 'target',
  amount: (row: Row) => minorToDecimal(row.amount, row.currency),
  sourceCurrency: (row: Row) => row.sourceCurrency,
  targetCurrency: (row: Row) => row.currency.toUpperCase(),
  IBAN: (row: Row) => row.details.iban ?? '',
};

interface Row extends PaymentWithDetails<Details> {
  sourceCurrency: string;
}

type Column = keyof typeof CELLS;

const COLUMNS = Object.keys(CELLS) as Column[];
const COLUMNS_TEXT = COLUMNS.join(',');
/** Without these columns, a file pays nobody or the wrong amount. */
const NEEDED: readonly Column[] = ['name', 'amount', 'targetCurrency'];

function columnsProblem(columns: readonly string[]): string | null {
  const unknown = columns.find((column) => !COLUMNS.includes(column as Column));
  if (unknown !== undefined)
    return `has an unknown column ${JSON.stringify(unknown)}; known columns are ${COLUMNS_TEXT}`;
  const missing = NEEDED.find((column) => !columns.includes(column));
  if (missing !== undefined) return `must have a column ${missing}`;
  return new Set(columns).size < columns.length ? 'must name each column once' : null;
}

const columnsOf = (header: string) => header.split(',').map((column) => column.trim());

const options = z.object({
  sourceCurrency: optional(
    z
      .string()
      .refine((code) => parseCurrency(code) !== null, 'must be an ISO 4217 currency code, for example "eur"')
      .overwrite((code) => code.toUpperCase()),
  ).describe('The currency of the balance that pays; by default, that of the payouts.'),
  header: optional(
    text(1_000).superRefine((header, context) => {
      const message = columnsProblem(columnsOf(header));
      if (message !== null) context.addIssue({ code: 'custom', message });
    }),
  ).describe(`The first line of the template that you downloaded from Wise; by default \`${COLUMNS_TEXT}\`.`),
});

type Options = z.output<typeof options>;

/**
 * A batch payment, with the columns of the template that Wise offers for the currency.
 * https://wise.com/help/articles/2932693/how-do-i-make-a-batch-payment
 */
export const wise: FileRail<Details, Options> = {
  kind: 'file',
  name: 'wise',
  details,
  options,
  paymentsMax: 1_000,
  masked: ({ name, email, receiverType, iban }) => ({
    name,
    email: maskedEmail(email),
    receiverType,
    iban: iban === null ? null : maskedIban(iban),
  }),
  refusalOf: () => null,
  fileFor: (payments, { options: { sourceCurrency, header } }) => ({
    contentType: CSV_TYPE,
    extension: 'csv',
    chunks: linesOf(payments, { sourceCurrency, columns: header === null ? COLUMNS : (columnsOf(header) as Column[]) }),
  }),
};

function* linesOf(
  payments: readonly PaymentWithDetails<Details>[],
  { sourceCurrency, columns }: { sourceCurrency: string | null; columns: readonly Column[] },
): Generator<string> {
  yield csvLine(columns);
  for (const payment of payments) {
    const row = { ...payment, sourceCurrency: sourceCurrency ?? payment.currency.toUpperCase() };
    yield csvLine(columns.map((column) => CELLS[column](row)));
  }
}
