import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlParameters } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { FILLED_UNTIL, type Filling, fillAccount, filledId } from '../../helpers/filled-database.ts';
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

let test: TestDatabase;
let texts: QueryText[];

/** A database with a filled account, which the statistics know, and then another one, which they do not. */
async function fillBoth(known: Filling, unknown: Filling): Promise<void> {
  test = await createTestDatabase('postgres');
  texts = (await findQueryTexts()).texts.filter(({ query }) => LISTS.test(query));
  await stopAutovacuum(test.url);
  const fill = (filling: Filling) =>
    test.database.write((tx) => fillAccount((sql, values) => tx.run(sql, values), filling), { alone: true });
  await fill(known);
  await analyze();
  await fill(unknown);
}

const analyze = () => executeOnServer(test.url, 'ANALYZE');

/** The pages of 8 KiB that a report with this query touches. */
async function pagesReadBy({ query, sql }: QueryText): Promise<number> {
  const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`;
  const row = await test.database.report((tx) => tx.get<Record<string, string>>(explain, valuesOf(query)));
  const [{ Plan }]: Explained = JSON.parse(row?.['QUERY PLAN'] ?? '');
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
}

/** The pages that each list reads, in the order of `texts`. */
async function pagesOfEach(): Promise<number[]> {
  const pages: number[] = [];
  for (const text of texts) pages.push(await pagesReadBy(text));
  return pages;
}

/** The lists that read clearly more pages than they should; to look up each row of a page may take 80. */
function worseThan(expected: number[], ...found: number[][]): string[] {
  return texts.flatMap(({ query }, index) => {
    const most = expected[index] ?? 0;
    const pages = found.map((each) => each[index] ?? 0);
    return pages.some((count) => count > 2 * most + 80) ? [`${query}: ${pages} instead of ${most}`] : [];
  });
}

describe('on PostgreSQL, the lists of an account that the statistics do not know', () => {
  beforeAll(() =>
    fillBoth(
      { account: 1, sales: SALES, idlePartners: 20_000 },
      { account: ACCOUNT, sales: SALES, idlePartners: 20_000 },
    ),
  );
  afterAll(() => test.remove());

  it('read no more than once they know it, nor where most accounts are small', async () => {
    expect(texts.length).toBeGreaterThan(600);
    const whileUnknown = await pagesOfEach();
    await analyze();
    const known = await pagesOfEach();
    await analyzeAsIfOf(test.url, 2_000);
    expect(worseThan(known, whileUnknown, await pagesOfEach())).toEqual([]);
  });
});

describe('on PostgreSQL, the lists of a small account beside a large one', () => {
  beforeAll(() => fillBoth({ account: 1, sales: SALES, idlePartners: 20_000 }, { account: ACCOUNT, sales: 60 }));
  afterAll(() => test.remove());

  it('read no more than where all accounts are small, whether the statistics know it or not', async () => {
    const whileUnknown = await pagesOfEach();
    await analyze();
    const known = await pagesOfEach();
    await analyzeAsIfOf(test.url, 2_000);
    expect(worseThan(await pagesOfEach(), whileUnknown, known)).toEqual([]);
  });
});
