import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { findCustomer } from './queries/customers.ts';
import { findLeads, type LeadView } from './queries/list-leads.ts';

const leadsPageInput = z.object({
  ...pageFields('led'),
  customerExternalId: optional(text()),
  partnerId: optional(text()),
});

export type LeadResource = ReturnType<typeof asLead>;

/** @throws ServiceError `NOT_FOUND` */
export async function getCustomer(service: Service, accountId: string, externalId: string) {
  const customer = await service.database.read((tx) => findCustomer(tx, accountId, externalId));
  if (!customer) throw notFound('customer', externalId);
  const { programId: _program, createdAt, ...shown } = customer;
  return { ...shown, createdAt: isoTime(createdAt) };
}

/** The newest first. Filters: `customerExternalId partnerId`. */
export function listLeads(service: Service, accountId: string, query: unknown): Promise<Page<LeadResource>> {
  const { limit, cursor, ...filters } = parseInput(leadsPageInput, query);
  return service.database.read((tx) =>
    pageOf({ limit, cursor }, (bounds) => findLeads(tx, accountId, filters, bounds), asLead),
  );
}

function asLead({ externalId, email, name, metadata, createdAt, ...lead }: LeadView) {
  return {
    ...lead,
    customer: { externalId, email, name },
    metadata: metadata === null ? null : JSON.parse(metadata),
    createdAt: isoTime(createdAt),
  };
}
