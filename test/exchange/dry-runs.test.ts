import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { type RandomImport, type Story, storiesOf } from './random-imports.ts';

const RUNS = { sqlite: rounds(400), postgres: rounds(30) };
const NOW = Date.UTC(2026, 5, 1);

/** Those whose rows an import may change; `open_entries` has no account. */
const TABLES = [
  ...['programs', 'partners', 'partner_discount_codes', 'links', 'customers', 'leads', 'identities', 'payments'],
  ...['payment_references', 'parked_hints', 'refunds', 'sales', 'ledger_entries', 'payouts', 'imported_records'],
  ...['events', 'audit_log'],
];

describe.each(engines)('any imports, on %s', (engine) => {
  let apps: AppOfMany;
  let folder: string;
  beforeAll(async () => {
    apps = await createAppOfMany(engine, { service: { clock: () => NOW } });
    folder = await mkdtemp(join(tmpdir(), 'refbridge-dry-runs-'));
  });
  afterAll(async () => {
    await apps.close();
    await rm(folder, { recursive: true, force: true });
  });

  const check = (dates: readonly string[], property: (account: Account, imports: RandomImport[]) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(storiesOf(dates), async (story) => property(await start(story), story.imports)),
      { numRuns: RUNS[engine] },
    );

  it('report in a dry run what they do, and store nothing in it', () =>
    check(['2026-01-10', '2026-02-10T14:30:00Z'], async (account, imports) => {
      for (const what of imports) {
        const before = await stored(account);
        const dry = await run(account, what, { isDryRun: true });
        expect(await stored(account)).toEqual(before);
        expect(dry).toEqual(await run(account, what));
      }
    }));

  // one that contradicts another may be accepted once that is here
  it('change nothing that was accepted when they are repeated, and say so', () =>
    check(['2026-01-10'], async (account, imports) => {
      for (const what of imports) {
        const first = await run(account, what);
        const before = await stored(account);
        const again = await run(account, what);
        const isAccepted = first.map((row) => !isRefused(row));
        expect(again.filter((row, place) => isAccepted[place] && isChange(row))).toEqual([]);
        const isNewlyAccepted = again.some((row, place) => isAcceptedNow(row, first[place]));
        if (!isNewlyAccepted && !again.some(isChange)) expect(await stored(account)).toEqual(before);
      }
    }));

  it('end as one run when they are killed and started again, unless their records decide differently in another order', () =>
    fc.assert(
      fc.asyncProperty(storiesOf(['2026-01-10']), fc.nat({ max: 12 }), async (story, died) => {
        // a first link whose key is taken gets a random one
        const [whole, killed] = await Promise.all([1, 2].map(() => start({ ...story, defaultUrl: null })));
        if (whole === undefined || killed === undefined) throw new Error('There are two accounts');
        for (const what of story.imports) {
          const rows = await run(whole, what);
          const service = dyingAt(killed.app.service, died);
          await run(killed, what, { service }).catch((error) => expect(error).toBe(DEATH));
          await run(killed, what);
          const again = rows.some(isRefused) ? await run(whole, what) : null;
          if (again !== null) for (const account of [killed, whole, killed]) await run(account, what);
          const [ended, wanted] = [await comparable(killed), await comparable(whole)];
          if (!isDeepStrictEqual(ended, wanted) && isDecidedByOrder(what, rows, again ?? (await run(whole, what))))
            return;
          expect(ended).toEqual(wanted);
        }
      }),
      { numRuns: RUNS[engine] },
    ));

  interface Account {
    app: TestApp;
    mark: string;
  }

  async function start({ defaultUrl, enrolled, parked }: Story): Promise<Account> {
    const app = await apps.addApp();
    const mark = unique('m').replaceAll('_', '');
    const { data } = (await app.call('GET', '/api/programs')).body;
    await app.call('PATCH', `/api/programs/${data[0].id}`, { body: { defaultUrl } });
    for (const name of enrolled) {
      await app.call('POST', '/api/partners', { body: { name, email: `${name}${mark}@example.com` } });
    }
    const stripe = parked.length === 0 ? null : await createEndpoint(app, 'stripe');
    for (const payment of parked) await stripe?.deliver(invoicePaid(payment));
    return { app, mark };
  }

  /** The result of each row, without ids that differ from run to run. */
  async function run(
    { app, mark }: Account,
    what: RandomImport,
    { isDryRun = false, service = app.service }: { isDryRun?: boolean; service?: Service } = {},
  ): Promise<string[]> {
    const reportPath = join(folder, unique('report'));
    const given = JSON.parse(JSON.stringify(what).replaceAll('§', mark)) as RandomImport;
    const target = { service, accountId: app.accountId, programId: null };
    if (given.way === 'api') {
      const source = { name: 'rewardful', title: 'Rewardful' };
      const items = streamOf(given.items);
      await importFacts({ ...target, source, partnersBy: 'source id' }, items, { isDryRun, reportPath });
    } else {
      const columns = Object.keys(given.rows[0] ?? {});
      const lines = [columns, ...given.rows.map((row) => columns.map((column) => `"${row[column]}"`))];
      const file = streamOf([Buffer.from(lines.map((cells) => cells.join(',')).join('\n'))]);
      const options = { file, kind: given.kind, columns: new Map(), isDryRun, reportPath };
      await importCsv({ ...target, origin: given.origin }, options);
    }
    return withoutIds(await readFile(reportPath, 'utf8')).split('\r\n');
  }
});

const isRefused = (row: string) => /^[^,]*,([^,]*,)?refused,/.test(row);
const isAcceptedNow = (row: string, before = '') => isRefused(before) && !isRefused(row);
const isChange = (row: string) => /^[^,]*,([^,]*,)?(created|changed),/.test(row);

/**
 * True when an import that begins again may end otherwise, depending on how far it came before: a partner of no program is
 * accepted once another record has put the same address into one, so that what was refused for them comes before what took
 * its place; and a record is refused once a later one of the same id has contradicted it.
 */
function isDecidedByOrder(what: RandomImport, first: readonly string[], again: readonly string[]): boolean {
  const isPartner = (row: string) => (what.way === 'file' ? what.kind === 'partners' : row.startsWith('partner,'));
  return again.some((row, place) =>
    isRefused(row) ? !isRefused(first[place] ?? '') : isPartner(row) && isAcceptedNow(row, first[place]),
  );
}

async function* streamOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

const withoutIds = (text: string) => text.replaceAll(/\b[a-z]{3}_[0-9a-zA-Z]{16,}\b/g, (id) => `${id.slice(0, 3)}_…`);

const DEATH = new Error('killed');

/** A service that loses everything from a unit of work on, which has run but is not committed. */
function dyingAt(service: Service, count: number): Service {
  const { database } = service;
  let units = 0;
  const write: Service['database']['write'] = (unit, options) =>
    database.write(async (tx) => {
      const result = await unit(tx);
      if (units++ >= count) throw DEATH;
      return result;
    }, options);
  return { ...service, database: { ...database, write } };
}

/** The account's rows without what differs between two accounts, in any order. */
async function comparable(account: { app: TestApp; mark: string }): Promise<Record<string, string[]>> {
  const { events: _, audit_log: __, ...tables } = await stored(account);
  const textOf = (row: unknown) => withoutIds(JSON.stringify(row)).replaceAll(account.mark, '§');
  return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, rows.map(textOf).toSorted()]));
}

/** The account's rows, ordered: PostgreSQL returns equal rows in another order once it takes another plan. */
async function stored({ app: { service, accountId } }: { app: TestApp }): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const rows = await service.database.read((tx) =>
      tx.all(`SELECT * FROM ${table} WHERE account_id = @accountId`, { accountId }),
    );
    found[table] = rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  return found;
}
