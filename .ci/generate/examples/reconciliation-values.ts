import { EXAMPLE_IDS } from './ids.ts';

const VALUES = {
  id: EXAMPLE_IDS.reconciliation,
  processor: 'stripe',
  dryRun: false,
  since: '2026-07-09T00:00:00.000Z',
  until: '2026-07-16T11:00:00.000Z',
  status: 'completed',
  counts: { read: 412, known: 398, ignored: 11, sales: 1, reversals: 0, unattributed: 1, failed: 0, other: 1 },
  notRead: [],
  error: null,
  createdBy: { id: EXAMPLE_IDS.operator, name: 'Olga Owner' },
  startedAt: '2026-07-16T11:00:00.400Z',
  endedAt: '2026-07-16T11:00:06.000Z',
};

/** Examples of reconciliations. */
export const RECONCILIATION = {
  'ReconciliationInput.since': '2026-07-09',
  'ReconciliationInput.dryRun': false,
  ...Object.fromEntries(
    ['Reconciliation', 'ReconciliationDetail'].flatMap((component) =>
      Object.entries(VALUES).map(([member, value]) => [`${component}.${member}`, value]),
    ),
  ),
  missing: [
    {
      deliveryId: EXAMPLE_IDS.delivery,
      eventType: 'invoice.paid',
      occurredAt: '2026-07-16T10:00:00.000Z',
      invoiceId: 'in_1paidrenewal',
      amount: 2_400,
      currency: 'usd',
      outcome: 'sale',
      reason: null,
      saleId: EXAMPLE_IDS.sale,
      partnerId: EXAMPLE_IDS.partner,
      partnerName: 'Ana Alvarez',
      commissionAmount: 400,
      commissionCurrency: 'usd',
    },
  ],
};
