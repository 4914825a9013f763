import type { Database, Transaction } from '../../src/storage/database.ts';

/** Where units of work wait, so that others run in between. */
export interface Hold {
  /** The statement. */
  held: RegExp;
  when: 'before' | 'after';
  /** Called by each unit that begins to wait. */
  reached: () => void;
  /** Ends all waiting. */
  release: Promise<void>;
}

/** The database, whose units wait for `release` before or after the first statement like `held`. */
export function holding(database: Database, { held, when, reached, release }: Hold): Database {
  const guarded = (tx: Transaction) =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const method = target[name] as (...parameters: unknown[]) => unknown;
        return async (...parameters: unknown[]) => {
          const isHeld = held.test(String(parameters[0]));
          const hold = () => {
            reached();
            return release;
          };
          if (isHeld && when === 'before') await hold();
          const result = await method.apply(target, parameters);
          if (isHeld && when === 'after') await hold();
          return result;
        };
      },
    });
  return { ...database, write: (unit, options) => database.write((tx) => unit(guarded(tx)), options) };
}
