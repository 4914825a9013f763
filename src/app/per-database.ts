import type { Database } from '../storage/database.ts';

/** What this process keeps in memory of a database: made on first use, one for everybody who works on it. */
export function perDatabase<State>(create: () => State): (database: Database) => State {
  const states = new WeakMap<Database, State>();
  return (database) => {
    const known = states.get(database);
    if (known !== undefined) return known;
    const state = create();
    states.set(database, state);
    return state;
  };
}
