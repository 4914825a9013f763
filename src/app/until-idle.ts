import { setTimeout as sleep } from 'node:timers/promises';

interface Search {
  /** What is under way; each removes itself when it has ended. */
  underWay: { readonly size: number; values(): Iterable<Promise<unknown>> };
  /** Begins what is due, as far as there is room; returns how many. */
  beginDue(): Promise<number>;
  /** How long what is under way is waited for before searching again: more may become due meanwhile. */
  lookMs: number;
}

/** Begins work until a search that began with nothing under way has found nothing: what ends during one may make more due. */
export async function untilIdle({ underWay, beginDue, lookMs }: Search): Promise<void> {
  for (;;) {
    const wasIdle = underWay.size === 0;
    const begunCount = await beginDue();
    if (underWay.size > 0) await Promise.race([...underWay.values(), sleep(lookMs, undefined, { ref: false })]);
    else if (wasIdle && begunCount === 0) return;
  }
}
