import type { Id, IdPrefix } from '../../src/core/ids.ts';

/** An id that a test makes up, or reads from an answer, typed as the context requires. */
export function asId<Prefix extends IdPrefix>(text: string): Id<Prefix> {
  return text as Id<Prefix>;
}
