import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { auditedService } from '../../src/accounts/audit-log.ts';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import { EVENT_TYPES } from '../../src/core/event.ts';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { importCsvText } from './import-text.ts';

const ROWS = 150;
const PARTNERS = 7;
const range = <Row>(rows: number, row: (n: number) => Row) => Array.from({ length: rows }, (_, n) => row(n));
const partner = (n: number) => `partner${n % PARTNERS}@example.com`;

/** What goes wrong in some rows: the partner is unknown, or the text cannot be read. */
const flawed = (n: number, given: string) => (n % 37 === 36 ? 'nobody@example.com' : n % 41 === 40 ? '' : given);

const FILES: readonly [CsvKind, string[]][] = [
  ['partners', ['email,name', ...range(PARTNERS, (n) => `${partner(n)},Partner ${n}`)]],
  [
    'customers',
    [
      'externalId,email,name,partner,stripeCustomerId',
      // some come twice, and some stripe ids are of two customers
      ...range(ROWS, (n) => {
        const id = n % 23 === 22 ? n - 1 : n;
        return `user${id},user${id}@example.com,User ${id},${flawed(n, partner(n))},cus_${n % 29 === 28 ? n - 1 : n}`;
      }),
    ],
  ],
  [
    'sales',
    [
      'invoiceId,partner,customer,customerEmail,amount,currency,date,commission,status,processor,reference,paidDate,payout',
      ...range(ROWS, (n) => {
        const status = ['due', 'paid', 'voided'][n % 3];
        const invoice = n % 19 === 18 ? n - 1 : n;
        const currency = n % 31 === 30 ? 'XXX' : 'USD';
        const payout = status === 'paid' && n % 2 === 0 ? `po${n % PARTNERS}` : '';
        // several of one customer in a row, and some charges of two invoices
        const user = Math.floor(n / 4);
        return `in_${invoice},${flawed(n, partner(user))},buyer${user},buyer${user}@example.com,100.00,${currency},2026-01-05,${n % 50}.00,${status},stripe,ch_${n % 43 === 42 ? n - 2 : n},2026-02-01,${payout}`;
      }),
    ],
  ],
  [
    'commissions',
    [
      'id,partner,amount,currency,status,date,invoiceId,processor',
      ...range(ROWS, (n) => {
        const status = n % 4 === 0 ? 'paid' : 'due';
        const invoice = n % 5 === 0 ? `in_${n}` : '';
        return `c${n % 17 === 16 ? n - 1 : n},${flawed(n, partner(n))},${n % 11 === 10 ? -3 : 12}.00,USD,${status},2026-01-05,${invoice},stripe`;
      }),
    ],
  ],
  [
    'payouts',
    ['id,partner,amount,currency,status,date', ...range(9, (n) => `po${n},${partner(n)},5.00,USD,paid,2026-03-01`)],
  ],
];

/**
 * Ids differ between two runs, and so do times of creation: each id becomes the number of its first appearance. A payout that
 * a message names as an example may be any of several.
 */
function comparable(value: unknown): unknown {
  const numbers = new Map<string, number>();
  const withoutExamples = JSON.stringify(value).replaceAll(/(?<=, such as that in )pay_[0-9a-f]{32}\b/g, 'one of them');
  const text = withoutExamples.replaceAll(/\b[a-z]{3}_[0-9a-zA-Z]{16,}\b/g, (id) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return `${id.slice(0, 3)} ${numbers.get(id)}`;
  });
  return JSON.parse(text.replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'a time'));
}

/** Runs every file twice, and returns everything that it left behind. */
async function importAll(app: TestApp, folder: string) {
  const stripe = await createEndpoint(app, 'stripe');
  const wanted = { url: 'http://localhost:1/', types: EVENT_TYPES };
  expect((await app.call('POST', '/api/event-endpoints', { body: wanted })).status).toBe(201);
  // parked until an import tells who pays
  for (const n of [3, 40, 90]) {
    const answer = await stripe.deliver(invoicePaid({ invoice: `in_parked_${n}`, customer: `cus_${n}` }));
    expect(answer.body.outcome).toBe('unattributed');
  }
  const actor = { kind: 'command_line', name: 'ana' } as const;
  const action = { accountId: app.accountId, actor, action: 'account.import' };
  const audited = { ...app, service: auditedService(app.service, action) };
  const results = [];
  for (const _ of ['first', 'again']) {
    for (const [kind, lines] of FILES) {
      results.push(await importCsvText(audited, folder, kind, { text: lines.join('\n'), origin: 'Old' }));
    }
  }
  const rowsOf = (sql: string) => app.service.database.read((tx) => tx.all<Record<string, unknown>>(sql));
  const sorted = async (sql: string) => (await rowsOf(sql)).map((row) => JSON.stringify(comparable(row))).toSorted();
  const findings = await Promise.all(AUDITS.map((audit) => runAudit(app.service, app.accountId, audit)));
  return {
    results: comparable(results),
    findings: findings.flatMap(({ first }) => first ?? []),
    records: await sorted('SELECT source, kind, source_id, own_id, state, amount, currency FROM imported_records'),
    audit: comparable(await rowsOf('SELECT action, changes FROM audit_log ORDER BY id')),
    // a queued payout begins with the amount of the unit of work that creates it
    events: await sorted("SELECT type, body FROM events WHERE type <> 'payout.queued'"),
    queued: await sorted("SELECT COUNT(*) AS queued FROM events WHERE type = 'payout.queued'"),
    customers: await sorted('SELECT external_id, email, name FROM customers'),
    sales: await sorted(
      'SELECT invoice_id, amount, gross_amount, commission_amount, matched_by, voided_reason FROM sales',
    ),
    entries: await sorted('SELECT kind, amount, currency, reason, available_at FROM ledger_entries'),
    open: await sorted('SELECT kind, amount, currency, due_at FROM open_entries'),
    payouts: await sorted('SELECT currency, status, amount, entry_count, note FROM payouts'),
    days: await sorted('SELECT currency, due_day, earned, reversed, in_payouts, paid FROM ledger_days'),
    // by parts of a day, which depend on ids
    counted: await sorted(
      'SELECT span, currency, SUM(leads) AS l, SUM(sales) AS s, SUM(revenue) AS r, SUM(commission) AS c FROM result_days GROUP BY span, currency',
    ),
  };
}

// on SQLite, every row has a unit of work of its own
describe('rows that share units of work on PostgreSQL', () => {
  let apps: TestApp[];
  let folder: string;
  beforeAll(async () => {
    // pages that take long are stored in several units of work, as on a busy machine
    vi.useFakeTimers({ toFake: ['performance'] });
    apps = await Promise.all(engines.map((engine) => createTestApp(engine)));
    folder = await mkdtemp(join(tmpdir(), 'refbridge-pages-'));
  });
  afterAll(async () => {
    vi.useRealTimers();
    await Promise.all(apps.map((app) => app.close()));
    await rm(folder, { recursive: true, force: true });
  });

  it('have the results, messages, events and audit entries that each would have by itself', async () => {
    const [bySelf, inPages] = await Promise.all(apps.map((app) => importAll(app, folder)));
    expect(bySelf?.findings).toEqual([]);
    expect(bySelf?.events.length).toBeGreaterThan(ROWS);
    expect(inPages).toEqual(bySelf);
  });
});
