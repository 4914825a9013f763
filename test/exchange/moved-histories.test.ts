import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import type { Manifest } from '../../src/exchange/manifest.ts';
import { setIdClock } from '../../src/ids.ts';
import { type AppOfMany, call, createAppOfMany, type TestApp } from '../helpers/app.ts';
import type { Engine } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds, someOf } from '../helpers/rounds.ts';
import { Cast } from '../results/shown/cast.ts';
import { allOf } from '../results/shown/rows.ts';
import { shownHistories } from '../results/shown/steps.ts';
import { tell } from '../results/shown/tell.ts';
import { comparePeopleFiles } from './people-files.ts';
import { HOST, Twin } from './twin.ts';

const RUNS = rounds(10);
const BEGIN = Date.UTC(2026, 2, 27, 21, 30);

/** Lists of everything that an account has, by the table of an export with the same rows. */
const LISTS = {
  programs: 'programs?archived=all',
  partners: 'partners?archived=all',
  links: 'links?archived=all',
  customers: 'customers',
  leads: 'leads',
  sales: 'sales',
  ledger_entries: 'ledger',
  payouts: 'payouts',
  payout_files: 'payouts/files',
  webhook_endpoints: 'webhook-endpoints',
  deliveries: 'deliveries',
} as const;

const PATHS = [
  'overview',
  'statistics?interval=week',
  'parked-payments',
  'payouts/totals?year=2026',
  'sales?format=csv',
  'ledger?format=csv',
  'payouts/export',
];

/** A cast whose imports take place in both installations, and which can send an earlier webhook again. */
class Twins extends Cast {
  readonly twin: Twin;

  constructor(twin: Twin, clock: { now: number }) {
    super(twin.app(), clock);
    this.twin = twin;
  }

  override async importRow(...row: Parameters<Cast['importRow']>): Promise<undefined> {
    await this.twin.inBoth((app) => new Cast(app, this.clock).importRow(...row));
    return undefined;
  }

  /** Reads the whole list, because the first page of a short one may contain others of the same time there. */
  override async find(path: string, index: number): Promise<{ id: string } | undefined> {
    const rows = await allOf(this.app, path.replace(/limit=\d+/, ''));
    return rows[index % Math.max(1, rows.length)] as { id: string } | undefined;
  }

  /** Everything that is shown; answers with how many rows each list has. */
  async readAll(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const [table, list] of Object.entries(LISTS)) {
      const rows = await allOf(this.app, `/api/${list}`);
      counts[table] = rows.length;
      const isDetailed = ['sales', 'payouts'].includes(table);
      for (const { id } of isDetailed ? rows : []) await this.app.call('GET', `/api/${table}/${id}`);
    }
    for (const path of PATHS) expect((await this.app.call('GET', `/api/${path}`)).status).toBe(200);
    for (const { id } of this.partners) await this.app.call('GET', `/api/partners/${id}/earnings`);
    await this.app.call('POST', '/api/payouts/run', { body: { dryRun: true } });
    return counts;
  }
}

const MOVES: readonly (readonly [from: Engine, to: Engine])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
];

describe.each(someOf(MOVES))('an account that moved from %s to %s', (from, to) => {
  let here: AppOfMany;
  let there: AppOfMany;
  let folder: string;
  const clock = { now: BEGIN };
  beforeAll(async () => {
    setIdClock(() => clock.now);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-moved-'));
    const service = { clock: () => clock.now, baseUrl: `http://${HOST}` };
    here = await createAppOfMany(from, { service });
    there = await createAppOfMany(to, { service });
  });
  afterAll(async () => {
    setIdClock(systemClock);
    await Promise.all([here.close(), there.close(), rm(folder, { recursive: true, force: true })]);
  });

  /** Copies the account to the other installation, with its key. */
  async function move(source: TestApp): Promise<{ manifest: Manifest; target: TestApp }> {
    const { accountId, apiKey, programId } = source;
    const options = { folder: join(folder, accountId), programVersion: '1.0.0' };
    const manifest = await exportAccount(source.service, accountId, options);
    await comparePeopleFiles(source, options.folder);
    const app = await there.addApp();
    await importAccount(app.service, { ...options, isDryRun: false, sourceSealer: null });
    const asMoved: TestApp['call'] = (method, path, parts = {}) =>
      call(app.url + path, method, { key: apiKey, ...parts });
    return { manifest, target: { ...app, accountId, apiKey, programId, call: asMoved } };
  }

  it(`shows the same, and goes on alike, after ${RUNS} histories`, { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shownHistories, async ({ steps, picks }) => {
        clock.now = BEGIN;
        const source = await here.addApp();
        const twin = new Twin(source);
        const cast = new Twins(twin, clock);
        await cast.begin();
        const middle = Math.floor(steps.length / 2);
        for (const step of steps.slice(0, middle)) await tell(cast, step);
        const { manifest, target } = await move(source);
        twin.moveTo(target);
        const counts = await cast.readAll();
        for (const [name, rows] of Object.entries(counts)) {
          expect(manifest.tables).toContainEqual(expect.objectContaining({ name, rows }));
        }
        for (const [index, step] of steps.slice(middle).entries()) {
          await tell(cast, step);
          const [pick] = picks[index % picks.length] ?? [1];
          if (pick % 3 === 0) await cast.deliverAgain(pick);
        }
        await cast.readAll();
        for (const { service } of [source, target]) await requireAgreement(service, source.accountId);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
