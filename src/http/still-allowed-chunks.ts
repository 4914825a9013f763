import { isStillAllowed } from '../accounts/still-allowed.ts';
import { type Callers, type Credential, RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';

/** How long a caller who lost access may still receive an answer. */
const CHECKED_MS = 1_000;

/**
 * The result of a route. If it is streamed, it breaks off once its key was revoked, or its session or token has ended, or its
 * session has another role: whoever reads slowly receives the rows of a list for days.
 */
export function whileAllowed<Result>(service: Service, caller: Callers[Credential], result: Result): Result | RawReply {
  const isWatched = result instanceof RawReply && caller !== null;
  if (!isWatched || typeof result.content === 'string' || Buffer.isBuffer(result.content)) return result;
  const content = checked(result.content, () => isStillAllowed(service, caller));
  return new RawReply(result.status, result.headers, content);
}

/** Not a generator, which would end only at its next chunk when the client leaves. */
function checked<Chunk>(chunks: AsyncIterable<Chunk>, isAllowed: () => Promise<boolean>): AsyncIterableIterator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]();
  let checkedAt = performance.now();
  return {
    async next() {
      const next = await iterator.next();
      if (next.done || performance.now() - checkedAt < CHECKED_MS) return next;
      // a database that does not answer is asked again a second later
      if (!(await isAllowed().catch(() => true))) throw accessEnded();
      checkedAt = performance.now();
      return next;
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function accessEnded(): ServiceError {
  return new ServiceError(
    'UNAUTHORIZED',
    'The answer breaks off: the key was revoked, the session or token has ended, or its role has changed while it was sent',
  );
}
