import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '../../core/event.ts';
import { firstCauseOf, messageOf } from '../../errors.ts';
import { signatureHeaders } from '../../events/secrets.ts';
import { postDelivery } from '../replay/post-delivery.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { type EventSource, ListenerEnded } from './source.ts';

/** An event that was shown, and forwarded if there is a target. */
export interface HeardEvent {
  id: string;
  type: string;
  body: string;
  /** The target's answer; null without a target. */
  answer: { status: number | null; outcome: string; ms: number } | null;
}

export interface ListenOptions {
  source: EventSource;
  types: readonly EventType[];
  /** Null to show events only. */
  forwardTo: string | null;
  /** Signs what is forwarded. */
  secret: string;
  /** Ends the listener. */
  signal: AbortSignal;
  onEvent(event: HeardEvent): void;
  /** A message for people: it listens, the connection is lost, or restored. */
  onNote(text: string): void;
  pauseMs?: number;
}

const PAUSE_MS = 1_000;
const CONFIRMED_MAX = 1_000;

/**
 * Shows and forwards events until `signal` aborts. A forwarded event is confirmed with the next fetch. If that fetch is
 * lost, the event arrives again and is recognized by its id, so a lost connection neither loses nor doubles an event.
 *
 * @throws Error when it cannot start; CommandError when the credential is refused
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { source, types, signal, onNote, pauseMs = PAUSE_MS } = options;
  /** Null after the server has ended the listener. */
  let id: string | null = await source.begin(types);
  onNote('Listening; Ctrl-C ends it.');
  /** Handled but not confirmed yet. */
  const handled = new Set<string>();
  let isLost = false;
  while (!signal.aborted) {
    try {
      id ??= await source.begin(types);
      const received = [...handled].slice(0, CONFIRMED_MAX);
      const events = await source.fetch(id, received);
      for (const confirmed of received) handled.delete(confirmed);
      if (isLost) onNote('Connected again.');
      isLost = false;
      for (const event of events) {
        if (signal.aborted) break;
        if (handled.has(event.id)) continue;
        options.onEvent({ ...event, answer: await forward(event, options) });
        handled.add(event.id);
      }
      if (events.length === 0 && handled.size === 0) await pause(pauseMs, signal);
    } catch (error) {
      if (error instanceof CommandError && error.exitCode !== EXIT.unreachable) throw error;
      if (error instanceof ListenerEnded) {
        onNote('The server ended this listener, so recent events may be missing. Listening again.');
        handled.clear();
        id = null;
        continue;
      }
      if (!isLost) onNote(`Connection lost (${messageOf(firstCauseOf(error))}); reconnecting …`);
      isLost = true;
      await pause(2 * pauseMs, signal);
    }
  }
  // ending the listener confirms what was handled last, because nothing is kept for it afterwards
  if (id !== null) await source.end(id).catch(() => {});
}

async function forward(event: { id: string; body: string }, { forwardTo, secret }: ListenOptions) {
  if (forwardTo === null) return null;
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Refbridge',
    ...signatureHeaders({ ...event, timestamp }, [{ secret, until: null }]),
  };
  const { status, outcome, ms } = await postDelivery(forwardTo, Buffer.from(event.body), headers);
  return { status, outcome, ms };
}

/** Ends early when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
