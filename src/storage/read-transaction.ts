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
    lookAhead: () => undefined,
    unawaited: refuse,
    settled: refuse,
    last: refuse,
  };
}

/** Runs the queries of a session one after the other, even those that are started together. */
export function inSequence(session: ReadSession): ReadSession {
  let previous: Promise<unknown> = Promise.resolve();
  const next = (query: () => unknown): Promise<unknown> => {
    const result = previous.then(query);
    previous = result.catch(() => {});
    return result;
  };
  return {
    get: (sql, parameters) => next(() => session.get(sql, parameters)),
    all: (sql, parameters) => next(() => session.all(sql, parameters)),
  };
}
