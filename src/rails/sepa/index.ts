import { isoDate } from '../../core/time.ts';
import { maskedIban } from '../contract/iban.ts';
import type { FileRail } from '../contract/rail.ts';
import { creditTransfer } from './credit-transfer.ts';
import { details, options, type SepaDetails, type SepaOptions } from './details.ts';

/** The largest amount of one transfer: 999,999,999.99 (EPC132-08). */
const AMOUNT_MAX = 99_999_999_999;

/** ISO 3166 codes of the countries in the SEPA scheme, including territories with their own IBANs (EPC409-09). */
const COUNTRIES = new Set(
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'.split(
    ' ',
  ),
);

/** A SEPA credit transfer: one file with one payment from one account to many accounts. */
export const sepa: FileRail<SepaDetails, SepaOptions> = {
  kind: 'file',
  name: 'sepa',
  details,
  options,
  // banks refuse a file whose date has passed
  flawOfOptions({ executionDate }, createdAt) {
    const today = isoDate(createdAt);
    if (executionDate === null || executionDate >= today) return null;
    return { path: 'executionDate', message: `must not be in the past: today is ${today} (UTC)` };
  },
  paymentsMax: 5_000,
  masked: ({ name, iban, bic }) => ({ name, iban: maskedIban(iban), bic }),
  refusalOf({ amount, currency }, { iban }) {
    if (currency !== 'eur') return `SEPA pays only in EUR, not in ${currency.toUpperCase()}`;
    if (!COUNTRIES.has(iban.slice(0, 2))) return `SEPA does not reach accounts in ${iban.slice(0, 2)}`;
    return amount > AMOUNT_MAX ? 'SEPA pays at most 999,999,999.99 EUR at once' : null;
  },
  fileFor: (payments, context) => ({
    contentType: 'application/xml; charset=utf-8',
    extension: 'xml',
    chunks: creditTransfer(payments, context),
  }),
};
