import type {
  MovedCommission,
  MovedCustomer,
  MovedFact,
  MovedLink,
  MovedPartner,
  MovedProgram,
} from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import type { TestApp } from '../helpers/app.ts';

export const PARTNER = {
  kind: 'partner',
  programId: null,
  name: 'Ana',
  tenantId: null,
} as const satisfies Partial<MovedPartner>;
export const ANA: MovedPartner = { ...PARTNER, id: 'p_1', email: 'ana@example.com' };
export const BOB: MovedPartner = { ...PARTNER, id: 'p_2', email: 'bob@example.com' };
export const LINK: MovedLink = {
  ...{ kind: 'link', id: 'l_1', partnerId: 'p_2', domain: null, key: 'bob', url: 'https://shop.example.com/' },
};
export const MIA: MovedCustomer = {
  ...{ kind: 'customer', id: 'c_1', partnerId: 'p_1', externalId: 'mia', email: null, name: null, atProcessor: null },
};
export const COMMISSION: MovedCommission = {
  ...{ kind: 'commission', id: 'm_1', partnerId: 'p_1', amountMinor: 500, currency: 'usd', sale: null, dueAt: null },
  ...{ status: 'paid', occurredAt: 1, paidAt: 1, payout: null },
  payment: { processor: 'custom', invoiceId: null, references: [] },
};
export const programOf = (id: string): MovedProgram => ({
  ...{ kind: 'program', id, name: id, commission: { type: 'percentage', rateBasisPoints: 1_000 } },
  ...{ durationMonths: null, holdDays: null, minimumPayout: {}, viaParameters: [] },
});
export const atStripe = { processor: 'stripe', customerId: 'cus_1' } as const;

export const soldAs = (id: string, invoiceId: string, references: string[]): MovedCommission => ({
  ...{ ...COMMISSION, id, status: 'open', paidAt: null, payment: { processor: 'custom', invoiceId, references } },
  sale: { customer: MIA, amountMinor: 5_000, grossMinor: 5_000, refundedMinor: 0, currency: 'usd' },
});

/** Imports what another service lists; the result is without ids that differ from run to run. */
export async function importAll(
  { service, accountId }: Pick<TestApp, 'service' | 'accountId'>,
  facts: readonly MovedFact[],
  isDryRun: boolean,
) {
  const source = { name: 'old', title: 'Old service' };
  const target = { service, accountId, source, partnersBy: 'source id' } as const;
  async function* items() {
    yield* facts;
  }
  const options = { isDryRun, reportPath: null };
  const { byKind, problems, ...all } = await importFacts({ ...target, programId: null }, items(), options);
  const reasons = problems.map(({ id, reason }) => [id, reason.replaceAll(/\b(ptr|sal|pay)_\w+/g, '$1_…')]);
  return { byKind, reasons, all: { ...all, dryRun: null } };
}
