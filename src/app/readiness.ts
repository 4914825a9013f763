import type { Database } from '../storage/database.ts';
import { appliedSchemaVersion } from '../storage/schema.ts';
import { withTimeout } from './timeout.ts';

export interface Readiness {
  ready: boolean;
  checks: {
    database: 'ok' | 'failed';
    /** The engine's own word: `FULL`, `on`; null when it did not answer. */
    synchronous: string | null;
    migrations: 'ok' | 'failed';
  };
}

const NOT_DURABLE = new Set(['OFF', 'NORMAL', 'off']);
const TIMEOUT_MS = 3_000;

/** Checks that the database answers in time, commits durably and has the schema that the code needs. Never rejects. */
export async function readinessOf(database: Database): Promise<Readiness> {
  try {
    const checks = Promise.all([database.read(appliedSchemaVersion), database.durability()]);
    const [version, { synchronous }] = await withTimeout(checks, TIMEOUT_MS);
    const hasSchema = version >= database.schemaVersion;
    return {
      ready: hasSchema && !NOT_DURABLE.has(synchronous),
      checks: { database: 'ok', synchronous, migrations: hasSchema ? 'ok' : 'failed' },
    };
  } catch {
    return { ready: false, checks: { database: 'failed', synchronous: null, migrations: 'failed' } };
  }
}
