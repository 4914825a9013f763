import { z } from 'zod';
import { insideUnit } from '../app/inside-unit.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { PAYMENT_PROCESSORS, type PaymentProcessor } from '../core/processor.ts';
import { validationError } from '../errors.ts';
import { importCustomer } from '../payments/imports/import-customer.ts';
import type { AtProcessor } from '../payments/imports/imported-person.ts';
import { resolvePartner } from '../programs/partner-by-email.ts';
import { getPartner } from '../programs/partners.ts';
import { emailField, optional, text } from '../schema/fields.ts';
import { parseInput } from '../schema/parse.ts';
import type { Fields } from './csv-columns.ts';
import type { CsvKind } from './csv-fields.ts';
import type { ImportTarget } from './import-target.ts';
import { factOfRow, type MoneyKind } from './money-row.ts';
import { applyFact } from './moved/apply.ts';
import { csvSource } from './moved/other-way.ts';
import { storeLink } from './moved/people.ts';
import { recordOf, type SeenRecord } from './moved/seen-records.ts';
import type { Applied } from './moved/target.ts';
import { importPartner } from './partner-row.ts';
import { shopifyIdOf } from './shopify-ids.ts';

type ImportRow = (target: ImportTarget, fields: Fields) => Promise<Applied>;

/** Imports one row, by kind. Each throws a ServiceError whose message says why the row is refused. */
export const importRow: Readonly<Record<CsvKind, ImportRow>> = {
  partners: importPartner,
  links: importLink,
  customers: importCustomerRow,
  sales: importMoney('sales'),
  commissions: importMoney('commissions'),
  payouts: importMoney('payouts'),
};

/** Identifies a row, so that it is found again in its own file or in the database. */
export function keyOf(kind: CsvKind, fields: Fields): string {
  if (kind === 'partners') return (fields.email ?? '').toLowerCase();
  if (kind === 'links')
    return fields.domain === undefined ? (fields.key ?? '') : `${fields.domain}/${fields.key ?? ''}`;
  if (kind === 'customers') return fields.externalId ?? '';
  return (kind === 'sales' ? fields.invoiceId : fields.id) ?? '';
}

/** A row as later rows of a dry run see it. @throws ServiceError `VALIDATION_ERROR` */
export function recordOfRow(kind: CsvKind, fields: Fields): SeenRecord {
  const partnerId = (fields.partner ?? '').toLowerCase();
  switch (kind) {
    case 'sales':
    case 'commissions':
    case 'payouts':
      return recordOf({ ...factOfRow[kind](fields), partnerId });
    default:
      return { key: `${kind.slice(0, -1)} ${keyOf(kind, fields)}`, says: partnerId, payments: [] };
  }
}

const FILE = 'CSV file';

/** By the id of the sale, commission or payout in files of one origin. */
function importMoney(kind: MoneyKind): ImportRow {
  return ({ service, accountId, origin }, fields) => {
    const source = csvSource(origin ?? FILE);
    const fact = factOfRow[kind](fields);
    return service.database.write(
      (tx) =>
        applyFact(
          { tx, service: insideUnit(service, tx), accountId, source, partnersBy: 'address', programId: null },
          fact,
        ),
      { alone: true },
    );
  };
}

async function importLink({ service, accountId }: ImportTarget, fields: Fields): Promise<Applied> {
  const partnerId = await partnerOf(service, accountId, fields);
  const { domain, key, url } = fields;
  if (key === undefined) throw validationError([{ path: 'key', message: 'is required' }]);
  return storeLink(service, accountId, { partnerId, domain, key, url });
}

const customerFields = z.object({
  externalId: text(),
  email: optional(emailField),
  name: optional(text()),
  stripeCustomerId: optional(text()),
  processor: optional(z.string().trim().toLowerCase().pipe(z.enum(PAYMENT_PROCESSORS))),
  processorCustomerId: optional(text()),
});

/** By external id: a known customer of the same partner keeps its profile. */
async function importCustomerRow({ service, accountId }: ImportTarget, fields: Fields): Promise<Applied> {
  const partnerId = await partnerOf(service, accountId, fields);
  const input = parseInput(customerFields, fields);
  const { externalId, email, name, stripeCustomerId, processor, processorCustomerId } = input;
  if ((processor === null) !== (processorCustomerId === null)) {
    const message = 'and processorCustomerId need each other';
    throw validationError([{ path: 'processor', message }]);
  }
  const given = processor && processorCustomerId ? atProcessor(processor, processorCustomerId) : null;
  const atStripe = stripeCustomerId === null ? null : ({ processor: 'stripe', customerId: stripeCustomerId } as const);
  const customer = { externalId, partnerId, email, name, atProcessor: given ?? atStripe };
  return { result: await importCustomer(service, accountId, customer), reason: null };
}

/** @throws ServiceError `VALIDATION_ERROR` for what no payment of a Shopify customer names */
function atProcessor(processor: PaymentProcessor, text: string): AtProcessor {
  const customerId = processor === 'shopify' ? shopifyIdOf('Customer', text) : text;
  if (customerId !== null) return { processor, customerId };
  const message = 'must be the number of a customer at Shopify, such as 7730411298881';
  throw validationError([{ path: 'processorCustomerId', message }]);
}

/** The partner whom a row names, by id or by e-mail address. @throws ServiceError `NOT_FOUND`, `CONFLICT` */
async function partnerOf(service: Service, accountId: AccountId, { partner }: Fields): Promise<PartnerId> {
  if (partner === undefined) throw validationError([{ path: 'partner', message: 'is required' }]);
  const { id } = await getPartner(service, accountId, await resolvePartner(service, accountId, partner));
  // a row with this id exists
  return id as PartnerId;
}
