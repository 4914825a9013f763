import { ApiError } from '../../parts/api.ts';

/** More at once would only wait for each other and delay everybody else. */
const CONCURRENCY = 4;

/** The wait for a limit that does not say when it ends; it ends within a minute. */
const LIMIT_SECONDS = 10;

interface Runner<Item> {
  run(item: Item): Promise<unknown>;
  /** Called for each item when it has ended; without an error, it is done. */
  onSettled(item: Item, error: Error | null): void;
  /** When it aborts, no further item begins. */
  signal: AbortSignal;
  /** Waits until the service accepts requests again. */
  wait?(seconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Runs the items, a few at a time and each once. A failed item does not stop the others; an item that the service has
 * no capacity for waits and is sent again. An ended session stops everything, because the rest would be refused as
 * well.
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
