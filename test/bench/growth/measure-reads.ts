import { setTimeout as sleep } from 'node:timers/promises';
import { startBackgroundLoad } from './background-load.ts';
import { type Client, createClient, percentile } from './client.ts';
import { LINK_DOMAIN } from './fill/names.ts';
import { linkKey } from './fill/rows.ts';
import { createReads, hundredthPage, type Read } from './reads.ts';
import type { ReadResult } from './results.ts';
import type { Serving } from './serving.ts';
import { watchWaits } from './waits.ts';

export interface ReadOptions {
  /** The maximum number of requests for each call. */
  requests: number;
  /** After this time, no further request of a call is sent. */
  budgetMs: number;
  say(line: string): void;
}

/** A request that takes longer is abandoned. */
const TIMEOUT_MS = 60_000;
/** A file takes as long as its list is long; what other requests wait for shows in its first seconds. */
const FILE_TIMEOUT_MS = 5_000;
/** If a page of 20 takes longer than this, the hundredth page is not looked up. */
const PAGE_MS = 1_500;
/** A pause, so that a wait caused by one call is over, and counted, before the next call starts. */
const SETTLE_MS = 30;
/** Webhooks per second during the calls of `busy`. */
const BUSY_PER_SECOND = 200;

/** The click of the wait watcher: on a link of the largest partner. */
export const WATCHED_CLICK = { host: LINK_DOMAIN, path: `/${linkKey(0)}` };

type Timed = Pick<ReadResult['idle'], 'p50Ms' | 'p99Ms'> & { requests: number; refused: number | null };

/** Runs each call one after the other at one connection, then all of them again during a constant load of webhooks. */
export async function measureReads(serving: Serving, options: ReadOptions): Promise<ReadResult[]> {
  const { send, close } = createClient(serving.port);
  const waits = await watchWaits(serving.port, WATCHED_CLICK);
  const calls = await withPages(send, createReads(serving.dataset));
  const results: ReadResult[] = [];
  for (const call of calls) {
    await sleep(SETTLE_MS);
    await waits.take();
    const { requests, refused, ...idle } = await timeCall(send, call, options);
    await sleep(SETTLE_MS);
    const { operationId, label } = call;
    results.push({ operationId, label, requests, idle, busy: idle, waits: await waits.take(), refused });
    options.say(`${label}: p50 ${idle.p50Ms.toFixed(1)} ms, p99 ${idle.p99Ms.toFixed(1)} ms`);
  }
  await waits.stop();
  options.say(`the same beside ${BUSY_PER_SECOND} webhooks a second`);
  const background = startBackgroundLoad(serving, BUSY_PER_SECOND);
  for (const [place, call] of calls.entries()) {
    const { refused, p50Ms, p99Ms } = await timeCall(send, call, { ...options, budgetMs: options.budgetMs / 2 });
    const result = results[place];
    if (result === undefined) continue;
    result.busy = { p50Ms, p99Ms };
    result.refused ??= refused;
  }
  await background.stop();
  close();
  return results;
}

async function withPages(send: Client, reads: readonly Read[]): Promise<Read[]> {
  const calls: Read[] = [];
  for (const read of reads) {
    calls.push(read);
    const page = read.isList ? await hundredthPage(send, read, PAGE_MS) : null;
    if (page !== null) calls.push(page);
  }
  return calls;
}

async function timeCall(send: Client, call: Read, { requests, budgetMs }: ReadOptions): Promise<Timed> {
  const times: number[] = [];
  let refused: number | null = null;
  const timeoutMs = call.isFile ? FILE_TIMEOUT_MS : TIMEOUT_MS;
  const startedAt = performance.now();
  while (times.length < requests && (times.length === 0 || performance.now() - startedAt < budgetMs)) {
    const { ms, headMs, status } = await send({ ...call, timeoutMs, discard: true });
    times.push(call.isFile ? headMs : ms);
    if (status !== 200) refused ??= status;
  }
  times.sort((a, b) => a - b);
  return { requests: times.length, refused, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}
