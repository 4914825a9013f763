import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The longest waits of a health check and of a click, by a stopwatch that pauses while the machine stalls. */
export interface LongestWaits {
  healthMs: number;
  clickMs: number;
}

export interface WaitWatch {
  /** The longest waits since the last call. */
  take(): Promise<LongestWaits>;
  stop(): Promise<LongestWaits>;
}

export interface WaitsThreadData {
  port: number;
  click: { host: string; path: string };
}

export type ToWaitsThread = 'take' | 'stop';

/**
 * Starts to send health checks and clicks one after the other, during whatever else is measured. They have a thread of their own:
 * on that of a client that reads long lists, they would wait for its garbage collection, and not for the server.
 */
export async function watchWaits(port: number, click: WaitsThreadData['click']): Promise<WaitWatch> {
  const thread = new Worker(new URL('children/waits-thread.ts', import.meta.url), {
    workerData: { port, click } satisfies WaitsThreadData,
  });
  await once(thread, 'message');
  const ask = async (message: ToWaitsThread): Promise<LongestWaits> => {
    thread.postMessage(message);
    const [waits] = await once(thread, 'message');
    return waits;
  };
  return { take: () => ask('take'), stop: () => ask('stop') };
}
