import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqlitePathOf } from '../../src/storage/open.ts';
import { toNumberedSql, toPositionalSql, valuesFor } from '../../src/storage/sql-text.ts';
import { MEANT_OF_AUDITS } from '../audit/meant-steps.ts';
import { MEANT_OF_EVENTS } from '../events/meant-steps.ts';
import { MEANT_OF_EXPORTS } from '../exchange/meant-steps.ts';
import { createTestDatabase } from '../helpers/databases.ts';
import { fillAccount } from '../helpers/filled-database.ts';
import {
  type CostlySteps,
  costlyStepsOnPostgres,
  costlyStepsOnSqlite,
  findPostgresIndexes,
  GROWING,
  STEPS_OF_REMOVAL,
} from '../helpers/query-plans.ts';
import { findQueryTexts } from '../helpers/query-texts.ts';
import { MEANT_OF_PARTNERS } from '../programs/meant-steps.ts';

/** Steps that cost more than the rows they find, each with the reason why that is intended. */
const MEANT: { query: RegExp; steps: string[]; reason: string }[] = [
  {
    query: /^payments\.findSales(\((narrow|.*period.*)\))?$/,
    steps: ['walk sales'],
    reason: 'the whole account, or the period, in order, until the page is full',
  },
  {
    query: /^payments\.findLeads(\((narrow|period)\))?$/,
    steps: ['walk leads'],
    reason: 'the whole account, or the period, in order, until the page is full',
  },
  {
    query: /^ledger\.findEntries(\((kind=commission|narrow|period|, )+\))?$/,
    steps: ['walk ledger_entries'],
    reason: 'the whole account, or the period, in order, until the page is full; most entries are commissions',
  },
  {
    query: /^inbox\.findDeliveries(\((status=processed|narrow|status=processed, narrow)\))?$/,
    steps: ['walk deliveries'],
    reason: 'the whole account in order; almost every delivery is processed',
  },
  { query: /^accounts\.findAuditEntries$/, steps: ['walk audit_log'], reason: 'the whole account in order' },
  {
    query: /^accounts\.findAuditEntries\((actorId|action|actorId, action)\)$/,
    steps: ['walk audit_log'],
    reason: 'PostgreSQL expects a full page of each actor and action sooner in the order of ids',
  },
  {
    query: /^inbox\.findDeliveries\(.*period/,
    steps: ['walk deliveries'],
    reason: 'the period in order, until the page is full or the period ends',
  },
  {
    query: /^payments\.findCustomers(\((narrow|period)\))?$/,
    steps: ['walk customers'],
    reason: 'the whole account, or the period, in order, until the page is full',
  },
  {
    query: /^(payments\.find(Sales|Leads)|ledger\.findEntries)\(.*partnerId.*period/,
    steps: ['sort'],
    reason: 'PostgreSQL expects about a page of any partner in any period; it plans a list for the values of each call',
  },
  { query: /^payouts\.findPayouts(\(narrow|\(period.*)?\)?$/, steps: ['walk payouts'], reason: 'all, or a period' },
  {
    query: /^payouts\.find(PayoutsToExport|Payouts\(status=queued(, narrow)?\))$/,
    steps: ['walk payouts'],
    reason: 'PostgreSQL expects a full page of each status sooner in the order of ids',
  },
  // PostgreSQL uses lookups when there are more of them
  { query: /^reconciliation\.findItems$/, steps: ['sort'], reason: 'of one reconciliation; these databases have none' },
  { query: /^payouts\.findPaidPayouts$/, steps: ['scan payouts'], reason: 'of 64 partners; these databases have 50' },
  { query: /^payments\.findSales\(.*invoiceId/, steps: ['sort'], reason: 'one sale at most' },
  {
    query: /^payments\.find(Sales|Leads)\(.*(customerExternalId|search)/,
    steps: ['sort'],
    reason: 'a customer has few sales, and a lead per event name; an address has few customers',
  },
  { query: /^ledger\.findEntries\(.*saleId/, steps: ['sort'], reason: 'a sale has few entries' },
  { query: /^payments\.find(SalesOf|ParkedPart)$/, steps: ['sort'], reason: 'of one moment or customer' },
  {
    query: /^payments\.findSales\(.*status=(pending|approved|paid)/,
    steps: ['sort'],
    reason: 'the pages of three sources at most',
  },
  {
    query: /^inbox\.findDeliveries\(.*(endpointId|processor|outcome)/,
    steps: ['sort'],
    reason: 'a page of each outcome at most',
  },
  {
    query: /^inbox\.(findBodySizes|findEmptyStretch|deleteBodies)$/,
    steps: ['walk deliveries'],
    reason: 'retention reads an account in order, once',
  },
  ...MEANT_OF_AUDITS,
  ...MEANT_OF_EVENTS,
  ...MEANT_OF_EXPORTS,
  { query: /^payouts\.find(ProcessingToSend|PayoutsOfFile)$/, steps: ['sort'], reason: 'paid now, or in one file' },
  {
    query: /^links\.findPartOfDay$/,
    steps: ['walk clicks', 'walk leads', 'walk sales', 'sort'],
    reason:
      'clicks of less than an hour, by the time in their ids; PostgreSQL looks up leads and sales when there are more',
  },
  {
    query: /^overview\.findSetup$/,
    steps: ['walk deliveries', 'walk leads', 'walk sales', 'walk partners', 'walk links'],
    reason: 'the first row of the account',
  },
  ...MEANT_OF_PARTNERS,
  { query: /^removal\./, steps: STEPS_OF_REMOVAL, reason: 'each row of an account once, in pages' },
  { query: /^inbox\.findDeliveryIds$/, steps: ['walk deliveries'], reason: 'the deliveries of the last seconds' },
  { query: /^overview\.sumPayouts(UnderWay)?$/, steps: ['sort'], reason: 'a row per partner and month, by currency' },
  { query: /^payouts\.sumUnderWay$/, steps: ['sort'], reason: 'those of one partner that nobody has marked yet' },
  { query: /^results\.sum/, steps: ['sort'], reason: 'a row per day and currency' },
  {
    query: /^(ledger\.(moveToDueDays|sumDueToday|sumEntries)|payouts\.(moveDays|assignRange))$/,
    steps: ['sort', 'scan payout_days'],
    reason: 'the days of one sale, partner or payout, or the entries of a slice',
  },
  { query: /^payments\.find(Refunds|ReportedRefunds|Disputes)$/, steps: ['sort'], reason: 'a payment has few' },
  {
    query: /^payments\.find(Customers\(email|CustomersByAddress$|OwnerByEmail$)/,
    steps: ['sort'],
    reason: 'an address has few customers',
  },
  {
    query: /^payments\.findByAddress$/,
    steps: ['walk identities', 'scan identities'],
    reason: 'a report about somebody who is named by address; an index would cost every webhook',
  },
];

interface Filled {
  name: string;
  stepsOf(sql: string): CostlySteps | Promise<CostlySteps>;
  /** Gathers statistics, which PostgreSQL does by itself, and which an operator may do on SQLite. */
  analyze(): unknown;
  end(): Promise<void>;
}

const FILLINGS = [
  { account: 1, sales: 10_000, idlePartners: 4_000, areSent: true },
  { account: 2, sales: 500, idlePartners: 1_000, areSent: true },
];

async function fillSqlite(): Promise<Filled> {
  const { url, remove } = await createTestDatabase('sqlite');
  const raw = new BetterSqlite3(sqlitePathOf(url) ?? '');
  raw.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF');
  raw.function('hashtextextended', (_text, _seed) => 1); // PostgreSQL's, in a query for it alone
  for (const filling of FILLINGS) {
    await fillAccount((sql, parameters) => {
      const { text, names } = toPositionalSql(sql);
      // a number would be bound as a float
      raw.prepare(text).run(valuesFor(names, parameters).map((value) => BigInt(value as number)));
    }, filling);
  }
  return {
    name: 'SQLite',
    stepsOf: (sql) => costlyStepsOnSqlite(raw, sql),
    analyze: () => raw.exec('ANALYZE'),
    async end() {
      raw.close();
      await remove();
    },
  };
}

async function fillPostgres(): Promise<Filled> {
  const { url, remove } = await createTestDatabase('postgres');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // otherwise the statistics would appear at an arbitrary time
  for (const table of GROWING) await client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
  for (const filling of FILLINGS) {
    await fillAccount((sql, parameters) => {
      const { text, names } = toNumberedSql(sql);
      return client.query(text, valuesFor(names, parameters));
    }, filling);
  }
  const indexes = await findPostgresIndexes(client);
  return {
    name: 'PostgreSQL',
    stepsOf: (sql) => costlyStepsOnPostgres(client, indexes, sql),
    analyze: () => client.query('ANALYZE'),
    async end() {
      await client.end();
      await remove();
    },
  };
}

describe('the plan of every SQL text', async () => {
  const { files, texts, unreached } = await findQueryTexts();
  const found = new Map<string, CostlySteps>();
  let filled: Filled[] = [];

  beforeAll(async () => {
    filled = [await fillSqlite(), await fillPostgres()];
    for (const withStatistics of [false, true]) {
      for (const { name, stepsOf, analyze } of filled) {
        if (withStatistics) await analyze();
        for (const { query, sql } of texts) {
          for (const step of await stepsOf(sql)) {
            // without them, PostgreSQL expects less than a page and sorts it; it gathers them itself after a minute
            if (step === 'sort' && name === 'PostgreSQL' && !withStatistics) continue;
            note(`${query}: ${step}`, `${name} ${withStatistics ? 'with' : 'without'} statistics`);
          }
        }
      }
    }
  });
  afterAll(() => Promise.all(filled.map(({ end }) => end())));

  function note(step: string, where: string): void {
    const places = found.get(step) ?? [];
    if (!places.includes(where)) found.set(step, [...places, where]);
  }

  /** The listed exceptions that match a found step. */
  function meantFor(found: string): string[] {
    const [name = '', step = ''] = found.split(/: (?=[a-z_ ]+$)/);
    return MEANT.filter(({ query, steps }) => query.test(name) && steps.includes(step)).map(
      ({ query }) => `${query}: ${step}`,
    );
  }

  it('covers every place that sends SQL', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(texts.length).toBeGreaterThan(250);
    expect(unreached).toEqual([]);
  });

  it('neither scans, sorts nor walks an account in a growing table, except where intended', () => {
    const unexpected = [...found].filter(([step]) => meantFor(step).length === 0);
    expect(unexpected.map(([step, places]) => `${step} (${places.join(', ')})`)).toEqual([]);
  });

  it('and every listed exception occurs', () => {
    const used = new Set([...found.keys()].flatMap(meantFor));
    const listed = MEANT.flatMap(({ query, steps }) => steps.map((step) => `${query}: ${step}`));
    expect(listed.filter((exception) => !used.has(exception))).toEqual([]);
  });
});
