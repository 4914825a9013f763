import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../load.ts';
import { createRequests, everybody } from './requests.ts';
import type { Serving } from './serving.ts';

const CONNECTIONS = 4;
const TURN_MS = 100;

/** Sends webhooks at a constant rate, or as fast as they are answered if that is slower, until it is stopped. */
export function startBackgroundLoad({ dataset, port }: Serving, perSecond: number): { stop(): Promise<void> } {
  const next = createRequests(dataset, everybody(dataset));
  const perTurn = (perSecond * TURN_MS) / 1000;
  const stopping = new AbortController();
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await load(
        port,
        Array.from({ length: perTurn }, () => next('webhook')),
        CONNECTIONS,
      );
      await sleep(Math.max(0, TURN_MS - (performance.now() - startedAt)));
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
