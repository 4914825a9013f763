import type { Service } from '../app/service.ts';
import type { Transaction } from '../storage/database.ts';

/** Carries the result out of a unit of work, and rolls the unit back. */
class RolledBack extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super('A dry run stores nothing');
    this.value = value;
  }
}

/** Runs a unit of work, rolls everything back, and returns its result. */
export async function rolledBack<T>(database: Service['database'], unit: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await database.write(
      async (tx) => {
        throw new RolledBack(await unit(tx));
      },
      { alone: true },
    );
  } catch (error) {
    if (error instanceof RolledBack) return error.value as T;
    throw error;
  }
}
