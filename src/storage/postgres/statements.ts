import type { SqlParameters, SqlValue } from '../database.ts';
import { type DriverSql, toNumberedSql, valuesFor } from '../sql-text.ts';
import { type Combinable, combinableFrom } from './combinable.ts';
import type { WireQuery } from './wire-query.ts';

const STATEMENTS_MAX = 1_000;
/** A text that begins like this changes nothing; one that begins with WITH may. */
const READ = /^\s*SELECT\b/i;

interface Statement extends DriverSql {
  /** '' for an unprepared statement. */
  name: string;
  isRead: boolean;
  combinable: Combinable | null;
}

/**
 * A statement that is planned for its values. The id of the account is in a subquery, where the planner does not see it: it
 * plans for an account of average size. Of an account that its statistics do not know, because it is new, it would expect
 * no rows, and read all of it to find one.
 */
function withoutAccount(sql: string): DriverSql {
  return toNumberedSql(sql, (number, name) =>
    name === 'accountId' ? `(SELECT CAST($${number} AS TEXT))` : `$${number}`,
  );
}

/** The tables with lists whose keys are account and id: in the order of ids, they are walked account by account. */
const KEYED_BY_ACCOUNT = ['deliveries', 'events', 'ledger_entries', 'sales'];
const ORDER_BY_ID = /\bORDER BY (?:(\w+)\.)?id\b(?! \|\|)/g;

/**
 * True when rows are read in the order of ids that are a key by themselves. For a page of an account of average size, which
 * may be half of the table, PostgreSQL would look among the rows of all accounts. Shown an account that it does not know,
 * it walks that account in order.
 */
function mayWalkAllAccounts({ text }: DriverSql): boolean {
  return [...text.matchAll(ORDER_BY_ID)].some(([, alias]) => {
    const from = alias === undefined ? /\bFROM (\w+)/ : new RegExp(`\\b(?:FROM|JOIN) (\\w+) (?:AS )?${alias}\\b`);
    const [, table] = from.exec(text) ?? [];
    return table !== undefined && !KEYED_BY_ACCOUNT.includes(table);
  });
}

type BoundQuery = WireQuery & { values: SqlValue[] };

/** Translates and names each text once, so that every connection prepares it only once. */
export class PostgresStatements {
  readonly #statements = new Map<string, Statement>();
  readonly #isPooled: boolean;
  readonly #isForAnyValues: boolean;

  /**
   * @param isPooled true for a pooler in transaction mode: no statement has a name
   * @param isForAnyValues true for connections with `PLANS_FOR_ANY_VALUES`
   */
  constructor({ isPooled, isForAnyValues = false }: { isPooled: boolean; isForAnyValues?: boolean }) {
    this.#isPooled = isPooled;
    // a pooler refuses the setting
    this.#isForAnyValues = isForAnyValues && !isPooled;
  }

  /** @throws Error when a parameter is missing */
  queryFor(sql: string, parameters: SqlParameters): { query: BoundQuery; isRead: boolean } {
    const { text, name, names, isRead, combinable } = this.#statements.get(sql) ?? this.#add(sql);
    const values = valuesFor(names, parameters);
    return { query: name === '' ? { text, values } : { name, text, values, combinable }, isRead };
  }

  #add(sql: string): Statement {
    const cacheable = this.#statements.size < STATEMENTS_MAX;
    const name = cacheable && !this.#isPooled ? `refbridge_${this.#statements.size + 1}` : '';
    const combinable = name === '' ? null : combinableFrom(sql, name);
    const numbered = toNumberedSql(sql);
    const translated = this.#isForAnyValues || mayWalkAllAccounts(numbered) ? numbered : withoutAccount(sql);
    const statement = { ...translated, name, isRead: READ.test(sql), combinable };
    if (cacheable) this.#statements.set(sql, statement);
    return statement;
  }
}
