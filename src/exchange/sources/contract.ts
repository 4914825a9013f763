import type { SourceItem } from '../moved/facts.ts';
import type { SourceClient } from './client.ts';

/** Something that a source needs to be read, from an environment variable or a question. */
export interface SourceCredential {
  name: string;
  /** `REWARDFUL_API_SECRET` */
  variable: string;
  /** What it is and where to find it. */
  question: string;
  /** False for what may be shown, such as the id of an account. */
  isSecret: boolean;
}

export interface ReadOptions {
  credentials: Readonly<Record<string, string>>;
  /** Where links lead whose destination the source does not tell; null if nobody said it. */
  linkUrl: string | null;
}

/**
 * A service that accounts come from. `read` yields everything in the order of `MovedFact`, and what cannot be carried. What it
 * makes of a record is decided by pure functions in the source's `map.ts`.
 */
export interface Source {
  /** The name of its folder, in commands, routes and records. */
  name: string;
  /** For sentences: `Rewardful`. */
  title: string;
  /** The real address; a setting puts another in its place. */
  apiUrl: string;
  credentials: readonly SourceCredential[];
  /** At most so many requests in so much time. */
  limit: { requests: number; perMs: number };
  headersFor(credentials: Readonly<Record<string, string>>): Record<string, string>;
  read(client: SourceClient, options: ReadOptions): AsyncGenerator<SourceItem>;
}
