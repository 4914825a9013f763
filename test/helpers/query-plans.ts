import type BetterSqlite3 from 'better-sqlite3';
import type pg from 'pg';
import { combinableFrom } from '../../src/storage/postgres/combinable.ts';
import { toNumberedSql, toPositionalSql } from '../../src/storage/sql-text.ts';

/** Tables with a row per partner, click, customer, payment, event or day; the others are small, or read by key. */
export const GROWING = [
  'partners',
  'partner_discount_codes',
  'links',
  'link_holders',
  'link_external_ids',
  'embed_tokens',
  'clicks',
  'customers',
  'leads',
  'identities',
  'deliveries',
  'payments',
  'payment_references',
  'parked_hints',
  'refunds',
  'disputes',
  'sales',
  'ledger_entries',
  'open_entries',
  'ledger_days',
  'payout_entries',
  'payout_days',
  'payouts',
  'payout_transfers',
  'result_days',
  'link_clicks',
  'audit_log',
  'events',
  'event_deliveries',
  'event_attempts',
  'event_approvals',
  'imported_records',
  'erasure_marks',
];

/** Tables that are read by partner, link, payout or endpoint, and not by account. */
const BY_PARENT = [
  'link_holders',
  'open_entries',
  'ledger_days',
  'payout_entries',
  'payout_days',
  'result_days',
  'link_clicks',
  'event_deliveries',
  'event_attempts',
];

/** The deletion of an account walks every table in the order of an index; a payout and a partner have few days. */
export const STEPS_OF_REMOVAL = [
  ...GROWING.filter((table) => !BY_PARENT.includes(table)).map((table) => `walk ${table}`),
  'sort',
  'scan payout_days',
];

const isGrowing = (table: string) => GROWING.includes(table);

/** The steps of a statement's plan whose cost may grow with the history, such as `sort`, `scan sales` and `walk sales`. */
export type CostlySteps = string[];

/** Reads the columns that an index search compares, such as `account_id = | id <`. */
interface Search {
  table: string;
  comparisons: string[];
  isPartial: boolean;
}

/**
 * A search by account alone reads every row of the account. With a bound on the id it walks in the order of the list,
 * and ends after a page only if nothing else is checked on the rows. A search without `=` walks the rows of every
 * account. A partial index holds few rows.
 */
function costOf({ table, comparisons, isPartial }: Search): CostlySteps {
  if (!isGrowing(table) || isPartial) return [];
  const isByAccount = comparisons.every((comparison) => /^(account_id =|id [<>]=?)$/.test(comparison));
  const isOfEverybody = comparisons.every((comparison) => !/^\w+ (=|IS NULL)/.test(comparison));
  return isByAccount || isOfEverybody ? [`walk ${table}`] : [];
}

export function costlyStepsOnSqlite(database: BetterSqlite3.Database, sql: string): CostlySteps {
  const { text, names } = toPositionalSql(sql);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(names.map(() => null)) as { detail: string }[];
  const tables = tablesByAlias(sql);
  const isPartial = (index: string | undefined) =>
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%WHERE%'").get(index ?? '') !==
    undefined;
  return rows.flatMap(({ detail }) => {
    if (detail.startsWith('USE TEMP B-TREE')) return [...tables.values()].some(isGrowing) ? ['sort'] : [];
    const [, verb, alias = ''] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    const table = tables.get(alias) ?? alias;
    const [, index] = /USING (?:COVERING )?INDEX (\w+)/.exec(detail) ?? [];
    if (verb === 'SCAN') return isGrowing(table) && !isPartial(index) ? [`scan ${table}`] : [];
    if (verb !== 'SEARCH') return [];
    if (detail.includes('AUTOMATIC')) return [`scan ${table}`];
    const compared = /\((.*)\)(?: LEFT-JOIN)?$/.exec(detail)?.[1] ?? '';
    const comparisons = compared.split(' AND ').map((part) => part.replace(/^(\w+)([<>=]+)\?$/, '$1 $2'));
    return costOf({ table, comparisons, isPartial: isPartial(index) });
  });
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** By index name: its table, and whether it covers only some rows. */
export type PostgresIndexes = ReadonlyMap<string, { table: string; isPartial: boolean }>;

export async function findPostgresIndexes(client: pg.Client): Promise<PostgresIndexes> {
  const { rows } = await client.query(
    "SELECT indexname, tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
  );
  return new Map(
    rows.map(({ indexname, tablename, indexdef }) => [
      indexname,
      { table: tablename, isPartial: indexdef.includes(' WHERE ') },
    ]),
  );
}

export async function costlyStepsOnPostgres(
  client: pg.Client,
  indexes: PostgresIndexes,
  sql: string,
): Promise<CostlySteps> {
  // The plan for any values, except for the page size: PostgreSQL would expect a tenth of all rows, and therefore plans
  // a list for the values of each call.
  const single = sql.replaceAll('@limit', '21');
  const { text } = toNumberedSql(single);
  const steps = new Set<string>();
  for (const form of [text, await combinedTextOf(client, single, text)]) {
    if (form === null) continue;
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${form}`);
    for (const step of stepsOf(rows[0]['QUERY PLAN'][0].Plan, indexes)) steps.add(step);
  }
  return [...steps];
}

/** As which several executions of the statement are sent; null when they are sent apart. */
async function combinedTextOf(client: pg.Client, sql: string, text: string): Promise<string | null> {
  const combinable = combinableFrom(sql, 'planned');
  if (combinable === null) return null;
  await client.query(`PREPARE planned AS ${text}`);
  const { rows } = await client.query(
    "SELECT CAST(parameter_types AS oid[]) AS types FROM pg_prepared_statements WHERE name = 'planned'",
  );
  await client.query('DEALLOCATE planned');
  return combinable.textFor(rows[0].types.map(Number));
}

function stepsOf(node: PlanNode, indexes: PostgresIndexes): CostlySteps {
  const below = (node.Plans ?? []).flatMap((plan) => stepsOf(plan, indexes));
  return [...costOfNode(node, indexes), ...below];
}

function tablesBelow(node: PlanNode): string[] {
  return [node['Relation Name'] ?? '', ...(node.Plans ?? []).flatMap(tablesBelow)];
}

function costOfNode(node: PlanNode, indexes: PostgresIndexes): CostlySteps {
  const type = node['Node Type'];
  if (/Sort$/.test(type)) return tablesBelow(node).some(isGrowing) ? ['sort'] : [];
  const table = node['Relation Name'] ?? '';
  if (type === 'Seq Scan') return isGrowing(table) ? [`scan ${table}`] : [];
  const index = indexes.get(node['Index Name'] ?? '');
  if (index === undefined) return [];
  const condition = node['Index Cond'] ?? '';
  const comparisons = [...condition.matchAll(/(\w+)\)*(?:::\w+)? (=|<=?|>=?|IS) /g)].map(
    ([, column, sign]) => `${column} ${sign}`,
  );
  return costOf({ ...index, comparisons });
}

function tablesByAlias(sql: string): Map<string, string> {
  const tables = new Map<string, string>();
  for (const [, table = '', alias] of sql.matchAll(
    /\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?([a-z_]\w*))?/g,
  )) {
    tables.set(table, table);
    if (alias !== undefined) tables.set(alias, table);
  }
  return tables;
}
