import type { Command } from 'commander';

/** The words after each command in an example of it, for commands whose own help text has none. */
const EXAMPLES: Record<string, string> = {
  logout: '',
  whoami: '',
  'import rewardful': '--dry-run --report rewardful-report.csv',
  'import dub': '--dry-run --report dub-report.csv',
  'import tolt': '--dry-run --report tolt-report.csv',
  'import firstpromoter': '--dry-run --report firstpromoter-report.csv',
  'import partnerstack': '--dry-run --report partnerstack-report.csv',
  'accounts list': '',
  'keys list': '',
  'keys revoke': 'key_…',
  'operators list': '',
  'operators update': 'opr_… --role member',
  'operators remove': 'opr_…',
  'programs list': '--archived all',
  'programs show': '"Example Ltd"',
  'programs archive': '"Example Ltd"',
  'programs unarchive': '"Example Ltd"',
  'programs delete': 'prg_…',
  'partners list': '--all --csv > partners.csv',
  'partners show': 'ana@example.com',
  'partners archive': 'ana@example.com',
  'partners unarchive': 'ana@example.com',
  'partners delete': 'ptr_…',
  'links list': '--partner ana@example.com --from 2026-11-01',
  'links show': 'ana --from 2026-11-01',
  'links archive': 'ana',
  'links unarchive': 'ana',
  'links delete': 'lnk_…',
  'customers list': '--all --csv > customers.csv',
  'customers show': 'user_1042',
  'leads list': '--partner ana@example.com --from 2026-11-01',
  'endpoints list': '',
  'endpoints show': 'stripe',
  'endpoints delete': 'whe_…',
  'sales list': '--partner ana@example.com --from 2026-11-01 --all --csv > sales.csv',
  'sales show': 'inv_1042',
  'deliveries list': '--status dead',
  'deliveries show': 'dlv_…',
  'parked list': '',
  'parked show': 'pmt_…',
  'ledger list': '--partner ana@example.com',
  'payouts list': '--status processing',
  'payouts show': 'pay_…',
  'payouts mark-paid': 'pay_… pay_… --note "transfer of 2026-12-02"',
  'payouts mark-failed': 'pay_… --note "account closed"',
  'payouts cancel': 'pay_…',
  'payouts export': '--format csv > payouts.csv',
  'payouts totals': '--year 2026 --all --csv > totals-2026.csv',
  'payouts file': '--rail paypal --currency USD --out paypal.csv',
  'payouts file-results': 'results.csv',
  'events list': '--endpoint https://example.com/webhooks --status failed',
  'events show': 'evt_…',
  'events resend': 'evt_… --endpoint https://example.com/webhooks',
  'events endpoints list': '',
  'events endpoints show': 'https://example.com/webhooks',
  'events endpoints update': 'https://example.com/webhooks --types sale.created,sale.refunded',
  'events endpoints rotate': 'https://example.com/webhooks',
  'events endpoints delete': 'evp_…',
  'events endpoints test': 'https://example.com/webhooks',
  'events endpoints resend': 'https://example.com/webhooks --since 2026-11-21',
  overview: '',
  'personal-data': 'user_1042 > user_1042.json',
  'audit-log': '--all --csv > audit-log.csv',
};

/** Adds an example to the help of each of these commands. `before`: the name of the given one, if it has commands. */
export function addExamples(command: Command, before = ''): void {
  for (const child of command.commands) {
    const name = `${before}${child.name()}`;
    const words = EXAMPLES[name];
    if (words !== undefined) child.addHelpText('after', `\nExample:\n  $ ${`refbridge ${name} ${words}`.trimEnd()}`);
    addExamples(child, `${name} `);
  }
}
