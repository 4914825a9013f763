import { ApiError } from '../../parts/api.ts';

/** More at once would only wait for each other, and for everybody else. */
const CONCURRENCY = 4;

/** A limit that does not say when it ends is over within a minute. */
const LIMIT_SECONDS = 10;

interface Runner<Item> {
  run(item: Item): Promise<unknown>;
  /** Called for each item when it is through; without an error, it is done. */
  onSettled(item: Item, error: Error | null): void;
  /** Begins no further item once it aborts. */
  signal: AbortSignal;
  /** Waits until the service takes requests again. */
  wait?(seconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Runs through the items, a few at once and each once. One that fails stops no other; one that the service has no time for
 * waits and is sent again. An ended session stops all: the rest would be refused as well.
 */
export async function runAll<Item>(
  items: readonly Item[],
  { run, onSettled, signal, wait = pause }: Runner<Item>,
): Promise<void> {
  const queue = [...items];
  let hasEnded = false;
  const work = async () => {
    for (;;) {
      const item = signal.aborted || hasEnded ? undefined : queue.shift();
      if (item === undefined) return;
      try {
        await run(item);
        onSettled(item, null);
      } catch (error) {
        const status = error instanceof ApiError ? error.status : null;
        if (status === 429) {
          queue.unshift(item);
          await wait((error as ApiError).retryAfterSeconds ?? LIMIT_SECONDS, signal);
          continue;
        }
        hasEnded ||= status === 401;
        onSettled(item, error as Error);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
