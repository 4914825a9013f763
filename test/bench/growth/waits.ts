import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnTime } from '../../helpers/own-time.ts';
import { createClient, type TimedRequest } from './client.ts';

/** The pause between two checks. */
const PAUSE_MS = 10;
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** The longest waits of a health check and of a click, by a stopwatch that pauses while the machine stalls. */
export interface LongestWaits {
  healthMs: number;
  clickMs: number;
}

export interface WaitWatch {
  /** The longest waits since the last call. */
  take(): LongestWaits;
  stop(): Promise<LongestWaits>;
}

/** Sends health checks and clicks one after the other, during whatever else is measured. */
export function watchWaits(port: number, click: { host: string; path: string }): WaitWatch {
  const stopping = new AbortController();
  const { send, close } = createClient(port);
  let longest: LongestWaits = { healthMs: 0, clickMs: 0 };
  const repeat = async (request: TimedRequest, note: (ms: number) => void) => {
    while (!stopping.signal.aborted) {
      const ownMs = await startOwnTime();
      await send(request);
      note(ownMs());
      await sleep(PAUSE_MS);
    }
  };
  const headers = { host: click.host, 'user-agent': BROWSER };
  const watching = Promise.all([
    repeat({ path: '/health/live' }, (ms) => {
      longest.healthMs = Math.max(longest.healthMs, ms);
    }),
    repeat({ path: click.path, headers }, (ms) => {
      longest.clickMs = Math.max(longest.clickMs, ms);
    }),
  ]);
  const take = () => {
    const taken = longest;
    longest = { healthMs: 0, clickMs: 0 };
    return taken;
  };
  return {
    take,
    async stop() {
      stopping.abort();
      await watching;
      close();
      return take();
    },
  };
}
