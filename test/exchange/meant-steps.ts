/** Steps of an export that cost more than the rows they find, each with the reason why that is intended. */
export const MEANT_OF_EXPORTS = [
  {
    query: /^exchange\.rowsOf\./,
    steps: [
      'walk clicks',
      'walk customers',
      'walk leads',
      'walk payments',
      'walk sales',
      'walk ledger_entries',
      'walk payouts',
      'walk deliveries',
      'walk audit_log',
    ],
    reason: 'an export reads each row once, in the order of the key, in pages',
  },
  {
    query: /^exchange\.rowsOf\./,
    steps: ['scan clicks', 'scan payments', 'scan open_entries', 'scan payout_entries', 'sort'],
    reason: 'a snapshot of PostgreSQL is told to follow indexes (postgres/long-transaction.ts)',
  },
];
