import type { SqlValue } from '../database.ts';
import type { Combinable } from './combinable.ts';

/** One statement. Without a name, it is parsed every time. */
export interface WireQuery {
  name?: string;
  text: string;
  /** A function is called when the statement is sent: until then, its values may change. */
  values?: SqlValue[] | (() => SqlValue[]);
  /** How several executions become one; null when they must remain apart. */
  combinable?: Combinable | null;
}

export interface WireResult {
  rows: Record<string, unknown>[];
  rowCount: number;
  /** What the server ran, such as `COMMIT`. */
  command: string;
}

/** A statement on its way, and who waits for it. */
export interface Pending {
  query: WireQuery;
  /** The unit of work that runs it. */
  unit: object;
  resolve(result: WireResult): void;
  reject(error: unknown): void;
}
