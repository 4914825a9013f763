const scan = (table: string) => `scan ${table}`;
const READ_WHOLE = [
  'partners',
  'links',
  'link_holders',
  'payouts',
  'leads',
  'payout_entries',
  'link_clicks',
  'owners',
  'parts',
  'held',
  'numbered',
];
const READ_IN_PAGES = [
  'ledger_entries',
  'sales',
  'ledger_days',
  'open_entries',
  'result_days',
  'payout_days',
  'partners',
  'links',
];

/** Steps of an audit that cost more than the rows they find, each with the reason why that is intended. */
export const MEANT_OF_AUDITS = [
  {
    query: /^audit\./,
    steps: [
      'walk partners',
      'walk links',
      'walk sales',
      'walk leads',
      'walk link_clicks',
      'walk ledger_days',
      'sort',
      ...READ_IN_PAGES.map(scan),
    ],
    reason: 'an audit reads everything, in pages; of a partner without any rows, only the first is looked for',
  },
  {
    query: /^audit\.walk/,
    steps: ['walk ledger_entries', 'walk leads', 'walk payouts', ...READ_WHOLE.map(scan)],
    reason: 'an audit reads each row once; partners, links, programs and payouts are numbered in temporary tables',
  },
  {
    query: /^audit\.findNotableAmongAll$/,
    steps: ['walk ledger_entries', 'scan refunds', 'scan disputes', 'scan n'],
    reason: 'for an account with a large share of all rows: two million sales, and everything that reduces any',
  },
  {
    query: /^audit\.findEndOfEntries$/,
    steps: ['walk ledger_entries'],
    reason: 'a page of 500,000; a third of all entries is read at most, once for each audit',
  },
  {
    query: /^audit\.countNumbered$/,
    steps: ['walk payouts', 'scan payouts'],
    reason: 'counts all partners, links and payouts of the account, once for each audit',
  },
];
