import type { SqlParameters, Transaction } from './database.ts';

/** What a driver implements for one read. */
export interface ReadSession {
  get(sql: string, parameters: SqlParameters): unknown;
  all(sql: string, parameters: SqlParameters): unknown;
}

/** The queries of one read; each sees what is committed when it runs. Refuses to write and to claim. */
export function createReadTransaction(session: ReadSession): Transaction {
  const refuse = async (): Promise<never> => {
    throw new Error('A read must call only get() and all(); use write()');
  };
  return {
    async get<Row>(sql: string, parameters: SqlParameters = {}) {
      return (await session.get(sql, parameters)) as Row | undefined;
    },
    async all<Row>(sql: string, parameters: SqlParameters = {}) {
      return (await session.all(sql, parameters)) as Row[];
    },
    run: refuse,
    claim: refuse,
  };
}
