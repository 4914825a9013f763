/** The chapters of the reference in order, with their descriptions. A route's `tag` is one of them. */
export const CHAPTERS: Readonly<Record<string, string>> = {
  Tracking:
    'Your backend reports the conversions of referred visitors: a lead when somebody signs up, a sale when they pay.',
  Browser: 'What visitors and their browsers call: partner links, clicks and the browser component. No credential.',
  Programs: 'The terms under which partners earn, and how their portal looks.',
  Partners: 'Who refers visitors to you and earns the commission.',
  Links: 'What partners share. Each link records the visits that come through it and what they led to.',
  Customers: 'Your users as leads and payments reported them, each bound to the click of its first lead.',
  'Personal data': 'What is stored about a person, and its erasure.',
  'Import and export':
    'Import an account from another service or from files, and export it as a file. For owners, and for keys with the scope `full`.',
  Sales: 'Recorded sales, with the steps that attributed them, their refunds and their ledger entries.',
  'Parked payments':
    'Payments that belong to no known customer yet. Each waits for its lead, or for you to attribute it.',
  Statistics: 'Results over time, and what needs attention, in one request each.',
  Ledger: 'Every amount that a partner earned or lost. Entries are never changed and never deleted.',
  Payouts: 'What is paid to partners: runs that collect due entries, and the outcome of each payout.',
  Portal:
    'The partner portal that you embed in your own product. It uses an embed token for one partner, or the session that a portal link opens.',
  'Webhook endpoints': 'Where a payment processor delivers its webhooks, with the secrets that verify them.',
  Webhooks:
    'The address that a payment processor delivers to. Refbridge verifies, stores and deduplicates every delivery.',
  Deliveries: 'Every webhook request that arrived, what it became, and why.',
  Events:
    'Notifications from Refbridge: each event is signed, posted to your endpoints as [Standard Webhooks](https://www.standardwebhooks.com/) 1.0.0, and sent again until it arrives.',
  'API keys': 'The keys of your account. Create one per server and revoke it on its own.',
  'Signing in': 'How a person signs in to the dashboard. API keys are refused here.',
  Operators: 'The people who sign in to your account, and the log of what they and your API keys changed.',
  Operation: 'Health, metrics and the description of this API.',
};
