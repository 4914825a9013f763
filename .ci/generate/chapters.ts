/** The chapters of the reference in order, with their descriptions. A route's `tag` is one of them. */
export const CHAPTERS: Readonly<Record<string, string>> = {
  Tracking:
    'Your backend reports the conversions of referred visitors: a lead when somebody signs up, a sale when they pay.',
  Browser: 'What visitors and their browsers call: partner links, clicks and the browser component. No credential.',
  Programs: 'The terms that partners earn by, and how their portal looks.',
  Partners: 'Who refers visitors to you and earns the commission.',
  Links: 'What partners share. Each link records the visits that come through it and what they led to.',
  Customers: 'Your users as leads and payments reported them, each bound to the click of its first lead.',
  'Personal data': 'What is stored about a person, and its erasure.',
  'Import and export':
    'Moving an account in from another service or from files, and out as a file. For owners, and for keys that may do everything.',
  Sales: 'Recorded sales, with the steps that attributed them, their refunds and their ledger entries.',
  'Parked payments':
    'Payments that belong to no known customer yet. Each waits for its lead, or for you to attribute it.',
  Statistics: 'What came in and what needs attention, in one request each.',
  Ledger: 'Every amount that a partner earned or lost. Entries are never changed and never deleted.',
  Payouts: 'What is paid to partners: runs that collect due entries, and what became of each payout.',
  Portal:
    'The partner portal that you embed in your own product. It uses an embed token for one partner, or the session that a portal link opens.',
  'Webhook endpoints': 'Where a payment processor delivers its webhooks, with the secrets that verify them.',
  Webhooks:
    'The address that a payment processor delivers to. Refbridge verifies, stores and deduplicates every delivery.',
  Deliveries: 'Every webhook request that arrived, what it became, and why.',
  Events:
    'What Refbridge tells you: each event is posted to your endpoints as [Standard Webhooks](https://www.standardwebhooks.com/) 1.0.0, signed, and again until it arrives.',
  'API keys': 'The keys of your account. Create one per server and revoke it on its own.',
  'Signing in': 'How a person signs in to the dashboard. API keys are refused here.',
  Operators: 'The people who sign in to your account, and the log of what they and your API keys changed.',
  Operation: 'Health, metrics and the description of this API.',
};
