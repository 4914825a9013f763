/** Every page, and the tabs of pages that have some; `+` opens the first row. */
export const PAGES = [
  '/',
  '/sales+',
  '/sales?period=30d',
  '/unattributed+',
  '/customers+',
  '/partners+',
  '/links+',
  '/payouts+',
  '/payout-files',
  '/ledger',
  '/deliveries+',
  '/connections',
  '/connections+',
  '/program',
  '/program?tab=links',
  '/program?tab=portal',
  '/program?tab=origins',
  '/settings',
  '/settings?tab=operators',
  '/settings?tab=you',
  '/settings?tab=sessions',
  '/settings?tab=data',
  '/settings?tab=log',
];

/** The buttons of a page that open a dialog. */
export const DIALOGS: Readonly<Record<string, readonly string[]>> = {
  '/partners+': ['New partner', 'End access'],
  '/links+': ['New link'],
  '/payouts+': ['Run payouts'],
  '/ledger': ['Adjustment'],
  '/program': ['New program'],
  '/connections': ['Connect a processor', 'Connect Stripe', 'Add an endpoint'],
  '/settings': ['New key'],
  '/settings?tab=operators': ['Invite', 'Change'],
  '/settings?tab=log': ['openedBy: code'],
};

/** What an account without data shows, also to a search. */
export const EMPTY: readonly (readonly [address: string, step: string])[] = [
  ['/', 'Connect a payment processor'],
  ['/sales', '/api/track/sale'],
  ['/unattributed', 'No payment is waiting'],
  ['/customers', '/script.js'],
  ['/customers', '/api/track/lead'],
  ['/customers?search=lindqvist', 'Only the beginning of an id'],
  ['/sales?search=lindqvist', 'Search the customers'],
  ['/partners', '/api/partners'],
  ['/links', 'No link yet'],
  ['/payouts', 'No payout yet'],
  ['/payout-files', 'No file yet'],
  ['/ledger', 'The ledger is empty'],
  ['/deliveries', 'Connect a processor'],
  ['/connections', 'No processor is connected'],
  ['/connections', 'to pay partners, Refbridge needs a key'],
];
