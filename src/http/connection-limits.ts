import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../app/metrics.ts';
import { networkOf } from '../app/network.ts';
import { http } from '../app/node-http.ts';
import type { ServiceError } from '../errors.ts';
import type { IsTrustedProxy } from './client-address.ts';

/**
 * How long a client may read nothing of a waiting answer. What it reads comes out of the kernel's buffer first, and Node
 * notices only when a third of that is free: after up to 1.7 MB, which take a slow client a minute or more.
 */
export const STALL_MS = 120_000;

/** What one connection, and one client, may hold of the server. */
export interface ConnectionLimits {
  /** Unanswered requests that one connection may have at once. Browsers and proxies send one. */
  pipelinedMax: number;
  /** See `STALL_MS`. */
  stallMs: number;
  /** Connections per address, or per /64 on IPv6; null for any number. */
  perAddressMax: number | null;
  /** A trusted proxy's connections carry many clients, so they are not counted. */
  isTrusted: IsTrustedProxy;
  metrics: Pick<Metrics, 'connectionCut'>;
  /** Receives refusals of requests that no route sees, with the id that their answer carries. */
  noteRefusal: (error: ServiceError, requestId: string) => void;
}

/** Counts a request of its connection; false when the connection has too many and was cut. */
export type AdmitRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Cuts connections that hold too much: those that pipeline too many requests, those that do not read their answers and,
 * if the operator sets a limit, those beyond the limit per address.
 *
 * Node stops reading from a connection whose answers are not read, but only after it has parsed everything it had
 * received, which may be thousands of requests; the server needs `StoppableRequest` as well.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): AdmitRequest {
  const unanswered = new WeakMap<Socket, ServerResponse[]>();
  cutStalled(server, unanswered, limits);
  if (limits.perAddressMax !== null) limitPerAddress(server, limits.perAddressMax, limits);
  return ({ socket }, response) => {
    if (socket.destroyed) return false;
    const responses = withoutFinished(unanswered.get(socket) ?? []);
    responses.push(response);
    unanswered.set(socket, responses);
    if (responses.length <= limits.pipelinedMax) return true;
    cut(socket, 'pipelining', limits);
    return false;
  };
}

/**
 * A request that stops the parsing of its connection's data once the connection is cut. Node parses everything it has
 * read, unless a request asks for an upgrade that nobody offers: then it drops the rest with the connection.
 */
export class StoppableRequest extends http.IncomingMessage {
  // set by Node's constructor, before fields of this class would exist
  declare private asksForUpgrade: boolean | null;

  get upgrade(): boolean | null {
    return this.socket.destroyed || this.asksForUpgrade;
  }

  set upgrade(asks: boolean | null) {
    this.asksForUpgrade = asks;
  }
}

function cutStalled(server: Server, unanswered: WeakMap<Socket, ServerResponse[]>, limits: ConnectionLimits): void {
  // Node's timer restarts whenever something is received or sent; between requests it is the keep-alive timeout's
  server.setTimeout(limits.stallMs, (socket) => {
    if (socket.writableLength > 0) cut(socket, 'stalled', limits);
    else if (withoutFinished(unanswered.get(socket) ?? []).length === 0) socket.destroy();
    // the answer is still being computed
    else socket.setTimeout(limits.stallMs);
  });
}

function limitPerAddress(server: Server, perAddressMax: number, limits: ConnectionLimits): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (limits.isTrusted(remoteAddress, 0)) return;
    const network = networkOf(remoteAddress);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > perAddressMax) return cut(socket, 'address', limits);
    counts.set(network, count);
    socket.once('close', () => {
      const others = (counts.get(network) ?? 1) - 1;
      if (others === 0) counts.delete(network);
      else counts.set(network, others);
    });
  });
}

/** Answers are sent in the order of their requests. */
function withoutFinished(responses: ServerResponse[]): ServerResponse[] {
  while (responses[0]?.writableFinished) responses.shift();
  return responses;
}

function cut(socket: Socket, reason: 'address' | 'pipelining' | 'stalled', { metrics }: ConnectionLimits): void {
  metrics.connectionCut(reason);
  socket.destroy();
}
