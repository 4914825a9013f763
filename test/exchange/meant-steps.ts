/** Steps of an export that cost more than the rows they find, each with the reason why that is intended. */
export const MEANT_OF_EXPORTS = [
  {
    query: /^exchange\.rowsOf\./,
    steps: [
      'walk partners',
      'walk links',
      'walk embed_tokens',
      'walk customers',
      'walk leads',
      'walk sales',
      'walk ledger_entries',
      'walk payouts',
      'walk payout_transfers',
      'walk deliveries',
      'walk audit_log',
      'walk events',
    ],
    reason: 'an export reads each row of the account once, in the order of the key, in pages',
  },
  {
    query: /^exchange\.(rowsOf|slicesOf)\.(clicks|payments|embed_tokens)$/,
    steps: ['walk clicks', 'walk payments', 'walk embed_tokens'],
    reason: 'no index begins with their account (ADR 0011): a slice of 2,000 rows of any account',
  },
  { query: /^exchange\.sizesOf\./, steps: ['walk deliveries'], reason: 'a page in the order of the key' },
  {
    query: /^exchange\.parentsOf\./,
    steps: ['walk payouts', 'walk partners', 'walk links'],
    reason: 'a hundred in the order of their ids',
  },
  {
    query: /^exchange\.rowsBetween\./,
    steps: ['walk payouts', 'walk partners', 'walk links', 'sort'],
    reason: 'less than a page of rows',
  },
  {
    query: /^exchange\.(rowsOf|parentsOf|rowsBetween)\./,
    steps: [
      'scan link_clicks',
      'scan payout_days',
      'scan event_deliveries',
      'scan event_attempts',
      'scan open_entries',
      'scan ledger_days',
      'scan result_days',
      'sort',
    ],
    reason: 'a snapshot of PostgreSQL is told to follow indexes (postgres/long-transaction.ts)',
  },
];
