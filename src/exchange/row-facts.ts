import { z } from 'zod';
import { CODES_IN_FILES, splitCodes } from '../core/code-list.ts';
import { PAYMENT_PROCESSORS, type PaymentProcessor } from '../core/processor.ts';
import { validationError } from '../errors.ts';
import type { AtProcessor } from '../payments/imports/imported-person.ts';
import { emailField, optional, text } from '../schema/fields.ts';
import { parseInput } from '../schema/parse.ts';
import type { Fields } from './csv-columns.ts';
import type { CsvKind } from './csv-fields.ts';
import { factOfCommission, factOfPayout, factOfSale } from './money-row.ts';
import type { MovedCustomer, MovedFact, MovedLink, MovedPartner } from './moved/facts.ts';
import { requiredCell } from './required-cell.ts';
import { shopifyIdOf } from './shopify-ids.ts';

/** What a row says, in the form that a source with an API also yields. @throws ServiceError `VALIDATION_ERROR` */
export const factOfRow: Readonly<Record<CsvKind, (fields: Fields) => MovedFact>> = {
  partners: factOfPartner,
  links: factOfLink,
  customers: factOfCustomer,
  sales: factOfSale,
  commissions: factOfCommission,
  payouts: factOfPayout,
};

/** Identifies a row, so that it is found again in its own file or in the database. */
export function keyOf(kind: CsvKind, fields: Fields): string {
  if (kind === 'partners') return (fields.email ?? '').toLowerCase();
  if (kind === 'links')
    return fields.domain === undefined ? (fields.key ?? '') : `${fields.domain}/${fields.key ?? ''}`;
  if (kind === 'customers') return fields.externalId ?? '';
  return (kind === 'sales' ? fields.invoiceId : fields.id) ?? '';
}

const partnerFields = z.object({ email: text() });

function factOfPartner(fields: Fields): MovedPartner {
  const { firstName, lastName, tenantId = null, discountCodes = '' } = fields;
  const { email } = parseInput(partnerFields, fields);
  const fullName = [firstName, lastName].filter((part) => part !== undefined).join(' ');
  const name = fields.name ?? (fullName || email);
  const codes = splitCodes(discountCodes, CODES_IN_FILES);
  return { kind: 'partner', id: email, programId: null, email, name, tenantId, discountCodes: codes };
}

function factOfLink(fields: Fields): MovedLink {
  const partnerId = requiredCell(fields, 'partner');
  const [key, url] = [requiredCell(fields, 'key'), requiredCell(fields, 'url')];
  return { kind: 'link', id: key, partnerId, domain: fields.domain ?? null, key, url };
}

const customerFields = z.object({
  externalId: text(),
  email: optional(emailField),
  name: optional(text()),
  stripeCustomerId: optional(text()),
  processor: optional(z.string().trim().toLowerCase().pipe(z.enum(PAYMENT_PROCESSORS))),
  processorCustomerId: optional(text()),
});

function factOfCustomer(fields: Fields): MovedCustomer {
  const partnerId = requiredCell(fields, 'partner');
  const input = parseInput(customerFields, fields);
  const { externalId, email, name, stripeCustomerId, processor, processorCustomerId } = input;
  if ((processor === null) !== (processorCustomerId === null)) {
    const message = 'and processorCustomerId need each other';
    throw validationError([{ path: 'processor', message }]);
  }
  const given = processor && processorCustomerId ? atProcessor(processor, processorCustomerId) : null;
  const atStripe = stripeCustomerId === null ? null : ({ processor: 'stripe', customerId: stripeCustomerId } as const);
  return { kind: 'customer', id: externalId, partnerId, externalId, email, name, atProcessor: given ?? atStripe };
}

/** @throws ServiceError `VALIDATION_ERROR` for what no payment of a Shopify customer names */
function atProcessor(processor: PaymentProcessor, text: string): AtProcessor {
  const customerId = processor === 'shopify' ? shopifyIdOf('Customer', text) : text;
  if (customerId !== null) return { processor, customerId };
  const message = 'must be the number of a customer at Shopify, such as 7730411298881';
  throw validationError([{ path: 'processorCustomerId', message }]);
}
