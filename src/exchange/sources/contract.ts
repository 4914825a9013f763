import type { SourceItem } from '../moved/facts.ts';
import type { SourceClient } from './client.ts';
import type { SourceForm } from './forms.ts';

export interface ReadOptions {
  credentials: Readonly<Record<string, string>>;
  /** The destination of links for which the source gives none; null if nobody named one. */
  linkUrl: string | null;
}

/**
 * A service that accounts can be imported from. `read` yields everything in the order of `MovedFact`, including what
 * cannot be imported. Pure functions in the source's `map.ts` decide what a record becomes.
 */
export interface Source extends SourceForm {
  /** At most this many requests in this time. */
  limit: { requests: number; perMs: number };
  headersFor(credentials: Readonly<Record<string, string>>): Record<string, string>;
  read(client: SourceClient, options: ReadOptions): AsyncGenerator<SourceItem>;
}
