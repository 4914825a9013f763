import type { CustomerErased, Interpretation } from '../../src/core/facts.ts';
import { noted } from '../contract/interpretations.ts';
import { distinct, readEmail } from '../contract/readers.ts';
import { type DataRequest, globalIdOf, type Redaction } from './payload.ts';

/** The maximum number of payments in one fact. */
const REFERENCES_MAX = 100;

/** A customer left. Everything about them must be erased within 30 days. */
export function interpretRedaction({ customer, orders_to_redact: orders }: Redaction): Interpretation {
  const hints: CustomerErased['customer'] = {
    externalIds: [],
    clickIds: [],
    processorCustomerId: globalIdOf('Customer', customer.id),
    subscriptionId: null,
    email: readEmail(customer.email),
    name: null,
  };
  const references = distinct(orders.map((order) => globalIdOf('Order', order)));
  const facts: CustomerErased[] = [];
  for (let start = 0; start < references.length; start += REFERENCES_MAX) {
    const some = references.slice(start, start + REFERENCES_MAX);
    facts.push({ kind: 'customer.erased', customer: hints, references: some });
  }
  return { kind: 'facts', facts: facts.length > 0 ? facts : [{ kind: 'customer.erased', customer: hints }] };
}

/** A customer asks what is stored about them. The shop's owner answers the request. */
export function interpretDataRequest({ customer }: DataRequest): Interpretation {
  return noted(
    `${globalIdOf('Customer', customer.id)} asks what is stored about them: look up your id of this customer in its ` +
      'sales, and send the answer of GET /api/customers/<your id>/personal-data',
  );
}
