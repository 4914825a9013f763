import type { Adapter } from '../../../adapters/contract/adapter.ts';
import { applyOverrides, type Override } from './overrides.ts';
import type { Planned } from './plan.ts';
import { type Answer, postDelivery } from './post-delivery.ts';
import type { Target } from './target.ts';

/** How to send the deliveries of a plan. */
export interface RunSettings {
  adapter: Adapter;
  target: Target;
  overrides: readonly Override[];
  /** Unique to the run; the value of `{run}`. */
  run: string;
  /** Changes one byte after signing. */
  tamper: boolean;
  /** The number of concurrent deliveries. */
  concurrency: number;
  /** The time, in epoch milliseconds, of a signature created now. */
  signingTime(): number;
}

export interface RunObserver {
  sending(delivery: Planned, eventType: string | null, bytes: number): void;
  answered(delivery: Planned, answer: Answer): void;
}

/**
 * Sends the deliveries and returns the answers in order of arrival. Stops early if the server has never answered, so that an
 * absent server is not tried a thousand times.
 */
export async function runDeliveries(
  planned: readonly Planned[],
  settings: RunSettings,
  observer: RunObserver,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const waiting = planned.values();
  let heard = false;
  let stopped = false;
  const work = async () => {
    for (const delivery of waiting) {
      if (stopped) return;
      const answer = await deliver(delivery, settings, observer);
      answers.push(answer);
      observer.answered(delivery, answer);
      heard ||= answer.status !== null;
      stopped ||= !heard;
    }
  };
  await Promise.all(Array.from({ length: Math.min(settings.concurrency, planned.length) }, work));
  return answers;
}

async function deliver(delivery: Planned, settings: RunSettings, observer: RunObserver): Promise<Answer> {
  const { adapter, target, overrides, run } = settings;
  const { n, round, payload } = delivery;
  const rawBody = applyOverrides(payload.rawBody, overrides, { n, round, run }, payload.file);
  const headers = adapter.sign(rawBody, target.secrets, settings.signingTime(), payload.eventType);
  const { eventType } = adapter.read({ rawBody, headers });
  observer.sending(delivery, eventType, rawBody.length);
  return postDelivery(target.url, settings.tamper ? spoiled(rawBody) : rawBody, headers);
}

/** A copy with one bit flipped in the middle. */
function spoiled(rawBody: Buffer): Buffer {
  const copy = Buffer.from(rawBody);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
