import { z } from 'zod';
import { emailField, optional, text } from '../../schema/fields.ts';
import { parseInput } from '../../schema/parse.ts';
import type { MovedFact, MovedKind, MovedPerson } from './facts.ts';

/** The row of a sale has an id such as `sale in_1`. */
const ID_MAX = 260;

/** Links, codes and customers are stored under ids of ours only. */
const STORED_UNDER_ID: readonly MovedKind[] = ['program', 'partner', 'commission', 'payout'];

const nameField = text();

/** Ids that become keys of the database; programs, partners, links and codes have schemas of their own besides. */
const keys = z.object({
  id: optional(text(ID_MAX)),
  partner: optional(text()),
  payout: optional(text()),
  invoiceId: optional(text()),
  reference: z.array(text()),
  customer: optional(text()),
  processorCustomerId: optional(text()),
});

/**
 * The fact with what both engines can store. An address or name of a customer that cannot be shown is left out, because
 * a commission is worth more.
 *
 * @throws ServiceError `VALIDATION_ERROR` for ids with NUL, or with more than 255 characters
 */
export function storable<Fact extends MovedFact>(fact: Fact): Fact {
  const person = personIn(fact);
  parseInput(keys, {
    id: STORED_UNDER_ID.includes(fact.kind) ? fact.id : null,
    partner: 'partnerId' in fact ? fact.partnerId : null,
    payout: fact.kind === 'commission' ? fact.payout?.id : null,
    invoiceId: fact.kind === 'commission' ? fact.payment.invoiceId : null,
    reference: fact.kind === 'commission' ? fact.payment.references : [],
    customer: person?.externalId,
    processorCustomerId: person?.atProcessor?.customerId,
  });
  if (person === null) return fact;
  const email = emailField.safeParse(person.email).data ?? null;
  const name = nameField.safeParse(person.name).data ?? null;
  if (fact.kind === 'customer') return { ...fact, email, name };
  return fact.kind === 'commission' && fact.sale !== null
    ? { ...fact, sale: { ...fact.sale, customer: { ...fact.sale.customer, email, name } } }
    : fact;
}

function personIn(fact: MovedFact): MovedPerson | null {
  if (fact.kind === 'customer') return fact;
  return fact.kind === 'commission' ? (fact.sale?.customer ?? null) : null;
}
