import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { listenLocally } from './listen-locally.ts';

/** A request that the receiver got. */
export interface ReceivedEvent {
  id: string;
  headers: Record<string, string>;
  body: string;
  /** The body, parsed. */
  event: { type: string; timestamp: string; data: Record<string, unknown> };
}

/** A local server that events are sent to. */
export interface EventReceiver {
  url: string;
  received: ReceivedEvent[];
  /** The highest number of simultaneously open requests. */
  atOnceMax(): number;
  /** How the next requests are answered; 204 by default. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** The ids in order of first arrival. */
  ids(): string[];
  types(): string[];
  clear(): void;
  /** Settles when this many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

const ARRIVAL_MS_MAX = 60_000;

export async function createEventReceiver(port = 0): Promise<EventReceiver> {
  const received: ReceivedEvent[] = [];
  let atOnce = 0;
  let atOnceMax = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    atOnce += 1;
    atOnceMax = Math.max(atOnceMax, atOnce);
    response.on('close', () => {
      atOnce -= 1;
    });
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      received.push({ id: headers['webhook-id'] ?? '', headers, body, event: JSON.parse(body) });
      receiver.answer(request, response);
    });
  });
  const url = await listenLocally(server, port);
  const receiver: EventReceiver = {
    url: `${url}/events`,
    received,
    atOnceMax: () => atOnceMax,
    answer: answerWith(204),
    ids: () => [...new Set(received.map(({ id }) => id))],
    types: () => received.map(({ event }) => event.type),
    clear() {
      received.length = 0;
    },
    async arrived(count) {
      const until = Date.now() + ARRIVAL_MS_MAX;
      while (received.length < count) {
        if (Date.now() > until) throw new Error(`Only ${received.length} of ${count} events arrived`);
        await sleep(10);
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Answers every request with a status. */
export function answerWith(status: number, headers: Record<string, string> = {}, text = '') {
  return (_: unknown, response: ServerResponse) => {
    response.writeHead(status, headers);
    response.end(text);
  };
}

/** Verifies a request as a receiver does. @throws Error when the signature does not match */
export function verifyEvent(secret: string, { body, headers }: ReceivedEvent): unknown {
  return new Webhook(secret).verify(body, headers);
}
