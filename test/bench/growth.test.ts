import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { checkLedger } from '../../src/audit/ledger.ts';
import { openService } from '../../src/open-service.ts';
import { readConfig } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { migrateDatabase } from '../../src/process/open-database.ts';
import { sqlitePathOf } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { asId } from '../helpers/ids.ts';
import { fill } from './growth/fill/fill.ts';
import { ACCOUNT_ID } from './growth/fill/names.ts';
import { createPostgresTarget } from './growth/fill/postgres-target.ts';
import { Permutation } from './growth/fill/scatter.ts';
import { createSqliteTarget } from './growth/fill/sqlite-target.ts';
import { barChart } from './growth/svg.ts';

const CUSTOMERS = 1_500;

describe.each(engines)('a database filled for the benchmark (%s)', (engine) => {
  let service: Service;
  let remove = async () => {};

  beforeAll(async () => {
    const empty = await createEmptyDatabase(engine);
    remove = empty.remove;
    const path = sqlitePathOf(empty.url);
    const target = path === null ? createPostgresTarget(empty.url) : createSqliteTarget(path);
    await fill(target, { customers: CUSTOMERS, until: Date.now() }, () => {});
    const config = readConfig({ DATABASE_URL: empty.url, SECRET_KEY: '5b'.repeat(32) });
    const log = createLog('silent', 'json');
    await migrateDatabase(config, log, {});
    service = await openService(config, log);
  });

  afterAll(async () => {
    await service?.database.close();
    await remove();
  });

  const rowsOf = <Row>(sql: string) => service.database.read((tx) => tx.all<Row>(sql));

  it('has nothing that the audit reports', async () => {
    const found: string[] = [];
    for await (const { kind, id, message } of checkLedger(service, asId<'acc'>(ACCOUNT_ID))) {
      found.push(`${kind} ${id}: ${message}`);
    }
    expect(found).toEqual([]);
  });

  it('has one and a half sales per customer, four of five by webhook, 3 % refunded', async () => {
    const [counts] = await rowsOf<Record<string, number>>(
      `SELECT COUNT(*) AS sales, SUM(CASE WHEN payment_processor = 'stripe' THEN 1 ELSE 0 END) AS webhooks,
         SUM(CASE WHEN refunded_amount > 0 THEN 1 ELSE 0 END) AS refunded,
         (SELECT COUNT(*) FROM refunds) AS refunds, (SELECT COUNT(*) FROM payouts WHERE status = 'queued') AS queued
       FROM sales`,
    );
    expect(counts).toMatchObject({ sales: CUSTOMERS * 1.5, webhooks: CUSTOMERS * 1.2, queued: 1_000 });
    expect(counts?.refunded).toBe(counts?.refunds);
    expect((counts?.refunded ?? 0) / (CUSTOMERS * 1.5)).toBeCloseTo(0.03, 1);
  });

  it('gives its rows ids of the same shape and time as the product', async () => {
    const rows = await rowsOf<{ id: string; createdAt: number }>(
      'SELECT id, created_at AS "createdAt" FROM sales ORDER BY id LIMIT 200',
    );
    for (const { id, createdAt } of rows) {
      expect(id).toMatch(/^sal_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(Number.parseInt(id.slice(4, 16), 16)).toBe(createdAt);
    }
    const [click] = await rowsOf<{ id: string }>('SELECT id FROM clicks LIMIT 1');
    expect(click?.id).toMatch(/^clk_[0-9a-f]{12}[0-9A-Za-z]{20}$/);
  });

  it('counts the clicks of each link', async () => {
    const [counts] = await rowsOf('SELECT CAST(SUM(clicks) AS BIGINT) AS clicks FROM link_clicks');
    expect(counts).toEqual({ clicks: CUSTOMERS });
  });
});

it.each([1, 2, 10, 4_096, 12_345])(
  'a permutation of %d visits every place once, and its inverse leads back',
  (size) => {
    const permutation = new Permutation(size);
    const places = Array.from({ length: size }, (_, row) => permutation.placeOf(row));
    expect(new Set(places).size).toBe(size);
    expect(places.map((place) => permutation.rowAt(place))).toEqual([...places.keys()]);
  },
);

it('a chart escapes its labels and marks what misses its target', () => {
  const bars = [
    { label: 'a < b & c', value: 3, isOk: true },
    { label: 'slow', value: 70, isOk: false },
  ];
  const target = { value: 50, label: 'at most 50 ms' };
  const svg = barChart({ title: 'Times', axis: 'ms', bars, target, scale: 'logarithmic' });
  expect(svg).toContain('a &lt; b &amp; c');
  expect(svg.match(/class="missed"/g)).toHaveLength(1);
  expect(svg).not.toMatch(/NaN|Infinity/);
});
