import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlParameters } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { FILLED_UNTIL, fillAccount, filledId } from '../../helpers/filled-database.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { analyzeAsIfOf, stopAutovacuum } from '../../helpers/postgres-statistics.ts';
import { findQueryTexts, type QueryText } from '../../helpers/query-texts.ts';

const SALES = 5_000;
const ACCOUNT = 2;
const idOf = (prefix: string, n: number) => filledId(prefix, ACCOUNT, n);

const LISTS =
  /^(payments\.find(Sales|Leads|Customers|Parked)|inbox\.findDeliveries|ledger\.findEntries|links\.find(Links|LinkKeys|LinksOfIds)|programs\.find(Partners|PartnerNames|PartnersOfIds|Programs)|payouts\.find(Payouts|PayoutsToExport|PayoutFiles)|accounts\.find(AuditEntries|ApiKeys)|events\.find(Events|EventsOfEndpoint|EventsByStatus))(\(|$)/;

const VALUES: SqlParameters = {
  accountId: idOf('acc', 1),
  limit: 21,
  beforeId: '~',
  afterId: '',
  now: FILLED_UNTIL,
  fromId: '',
  fromAt: FILLED_UNTIL - 400 * 86_400_000,
  toAt: Number.MAX_SAFE_INTEGER,
  programId: null,
  linkId: null,
  currency: null,
  tenantId: 'tenant_7',
  sourceId: 'ext_77',
  archived: 0,
  partnerId: idOf('ptr', 2),
  customerExternalId: 'user_1001',
  search: 'user_1001',
  email: 'u1001@example.com',
  invoiceId: 'in_1001',
  saleId: idOf('sal', 1_001),
  payoutId: idOf('pay', 60),
  review: 'flagged',
  processor: 'stripe',
  endpointId: idOf('whe', 1),
  outcome: 'sale',
  status: 'delivered',
  actorId: idOf('key', 1),
  action: 'link.create',
  resourceId: idOf('lnk', 100),
  type: 'sale.created',
  kind: 'reversal',
};

/** What a list asks for: `status=paid` in its name is the value of a filter, and the ids are those of its rows. */
function valuesOf(query: string): SqlParameters {
  const filters = [...query.matchAll(/(status|kind)=(\w+)/g)].map(([, name, value]) => [name, value]);
  const prefix = query.startsWith('links.') ? 'lnk' : 'ptr';
  const ids = Array.from({ length: 64 }, (_, n) => [`id${n}`, idOf(prefix, 1 + 7 * n)]);
  const endpoint = query.startsWith('events.') ? { endpointId: idOf('evp', 1) } : {};
  return { ...VALUES, ...endpoint, ...Object.fromEntries([...filters, ...ids]) };
}

/** JSON of PostgreSQL, with the pages that all steps touch in the outermost one. */
type Explained = [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }];

describe('on PostgreSQL, the lists of an account that the statistics do not know', () => {
  let test: TestDatabase;
  let texts: QueryText[];

  /** The pages of 8 KiB that a report with this query touches. */
  async function pagesReadBy({ query, sql }: QueryText): Promise<number> {
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`;
    const row = await test.database.report((tx) => tx.get<Record<string, string>>(explain, valuesOf(query)));
    const [{ Plan }]: Explained = JSON.parse(row?.['QUERY PLAN'] ?? '');
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
  }

  beforeAll(async () => {
    test = await createTestDatabase('postgres');
    const all = (await findQueryTexts()).texts;
    texts = all.filter(({ query }) => LISTS.test(query));
    await stopAutovacuum(test.url);
    const fill = (account: number) =>
      test.database.write(
        (tx) => fillAccount((sql, values) => tx.run(sql, values), { account, sales: SALES, idlePartners: 20_000 }),
        {
          alone: true,
        },
      );
    await fill(1);
    await executeOnServer(test.url, 'ANALYZE');
    await fill(ACCOUNT);
  });
  afterAll(() => test.remove());

  /** The pages that each list reads, by its text. */
  async function pagesByText(): Promise<Map<string, number>> {
    const pages = new Map<string, number>();
    for (const text of texts) pages.set(text.sql, await pagesReadBy(text));
    return pages;
  }

  it('read no more than once they know it, nor where most accounts are small', async () => {
    expect(texts.length).toBeGreaterThan(600);
    const whileUnknown = await pagesByText();
    await executeOnServer(test.url, 'ANALYZE');
    const known = await pagesByText();
    await analyzeAsIfOf(test.url, 2_000);
    const amongSmall = await pagesByText();
    const worse = texts.flatMap(({ query, sql }) => {
      const expected = known.get(sql) ?? 0;
      const found = [whileUnknown.get(sql) ?? 0, amongSmall.get(sql) ?? 0];
      return found.some((pages) => pages > 2 * expected + 50) ? [`${query}: ${found} instead of ${expected}`] : [];
    });
    expect(worse).toEqual([]);
  });
});
