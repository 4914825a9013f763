import type { SourceItem } from '../moved/facts.ts';
import type { SourceClient } from './client.ts';
import type { SourceForm } from './forms.ts';

export interface ReadOptions {
  credentials: Readonly<Record<string, string>>;
  /** Where links lead whose destination the source does not tell; null if nobody said it. */
  linkUrl: string | null;
}

/**
 * A service that accounts come from. `read` yields everything in the order of `MovedFact`, and what cannot be carried. What it
 * makes of a record is decided by pure functions in the source's `map.ts`.
 */
export interface Source extends SourceForm {
  /** At most so many requests in so much time. */
  limit: { requests: number; perMs: number };
  headersFor(credentials: Readonly<Record<string, string>>): Record<string, string>;
  read(client: SourceClient, options: ReadOptions): AsyncGenerator<SourceItem>;
}
