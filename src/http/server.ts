import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { http } from '../app/node-http.ts';
import type { Lifecycle } from '../app/service.ts';
import { excerpt, ServiceError, validationError } from '../errors.ts';
import { answerJson } from './answers.ts';
import { type ConnectionLimits, limitConnections, STALL_MS, StoppableRequest } from './connection-limits.ts';
import { errorBody } from './errors.ts';
import { identifyRequest, requireRequestId, sentRequestId } from './request-id.ts';
import { usePathOfTarget } from './request-target.ts';

/** As many as Linux lets wait, one more than Node's `backlog`: under constant requests, there is always another connection. */
const WAITING_CONNECTIONS_MAX = 512;

/** How long a server that closes waits for the first byte of a connection; browsers open some that they may never use. */
const FIRST_BYTE_MS = 1_000;

/** How long a client whose request cannot be read may take to read the refusal. */
const LINGER_MS = 2_000;

/**
 * The open connections of each server, of which Node lists only those that have had a request, and the response to the
 * latest request of each.
 */
const connectionsOf = new WeakMap<Server, Map<Socket, ServerResponse | undefined>>();

const USUAL_LIMITS = { pipelinedMax: 16, stallMs: STALL_MS, perAddressMax: null };

type ServerLimits = Partial<ConnectionLimits> & Omit<ConnectionLimits, keyof typeof USUAL_LIMITS>;

/**
 * A server that slow clients cannot block: 5 s for the headers, 15 s for the whole request, checked every second; 2 min
 * without reading any of an answer.
 */
export function createServer(app: RequestListener, lifecycle: Lifecycle, limits: ServerLimits): Server {
  const server = http.createServer({
    headersTimeout: 5_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    // longer than the usual 60 s of load balancers, so that they close idle connections first
    keepAliveTimeout: 65_000,
    // Node would answer without a body
    requireHostHeader: false,
    IncomingMessage: StoppableRequest,
  });
  const connections = new Map<Socket, ServerResponse | undefined>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  const allLimits: ConnectionLimits = { ...USUAL_LIMITS, ...limits };
  const admit = limitConnections(server, allLimits);
  const refuse = refuseWith(allLimits.noteRefusal);
  const refuseRaw = refuseRawWith(allLimits.noteRefusal, connections);
  /** False for a request that nobody may answer any more. */
  const begin = (request: IncomingMessage, response: ServerResponse): boolean => {
    usePathOfTarget(request);
    identifyRequest(request, response);
    if (!admit(request, response)) return false;
    const earlier = connections.get(request.socket);
    // the connection ends before its answer could be sent
    if (earlier?.headersSent && earlier.getHeader('Connection') === 'close') return false;
    connections.set(request.socket, response);
    if (lifecycle.draining) {
      if (earlier?.headersSent === false) earlier.removeHeader('Connection');
      response.setHeader('Connection', 'close');
    }
    return true;
  };
  server.on('request', (request, response) => {
    if (!begin(request, response)) return;
    const message = flawOfHost(request);
    if (message === null) app(request, response);
    else refuse(response, validationError([{ path: 'Host', message }]));
  });
  server.on('checkExpectation', (request, response) => {
    if (!begin(request, response)) return;
    const expected = JSON.stringify(excerpt(request.headers.expect ?? ''));
    refuse(response, new ServiceError('EXPECTATION_FAILED', `Expect: ${expected} is not supported; leave it out`));
  });
  server.on('clientError', (error: ClientError, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuseRaw(socket, clientErrorFor(error));
  });
  // without a listener, Node closes the connection without an answer
  server.on('connect', (request, socket) => {
    // Node listens to it no longer
    socket.on('error', () => socket.destroy());
    const error = validationError([{ path: '', message: 'CONNECT is not supported: this server is no proxy' }]);
    const requestId = sentRequestId(request) ?? randomUUID();
    if (connections.get(socket as Socket)?.writableFinished === false) {
      // without Node, an earlier answer would neither go on once the client has read, nor be cut when it does not read
      allLimits.noteRefusal(error, requestId);
      socket.destroy();
    } else refuseRaw(socket, error, requestId);
  });
  return server;
}

/** Refuses what Node gives up, without a response, on a connection that it no longer watches. */
function refuseRawWith(
  note: ConnectionLimits['noteRefusal'],
  connections: ReadonlyMap<unknown, ServerResponse | undefined>,
): (socket: Duplex, error: ServiceError, requestId?: string) => void {
  // the client's own id is unknown if the headers were not parsed
  return (socket, error, requestId = randomUUID()) => {
    const earlier = connections.get(socket);
    if (!socket.writable || isAnswering(earlier)) socket.destroy();
    else if (isUnanswered(earlier)) {
      // it is being carried out, and a refusal in place of its answer would say that it was not
      earlier.setHeader('Connection', 'close');
    } else {
      note(error, requestId);
      socket.end(rawAnswer(error, requestId));
      // to close it at once could reset the answer
      const linger = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(linger));
    }
  };
}

/** A proxy may have read the other one of two (RFC 9112, 3.2). */
function flawOfHost({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (!headers.host) return httpVersion === '1.1' ? 'is required in HTTP/1.1' : null;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1 ? 'must be sent once' : null;
}

/** Answers a request that no route should see, and closes its connection. */
function refuseWith(note: ConnectionLimits['noteRefusal']): (response: ServerResponse, error: ServiceError) => void {
  return (response, error) => {
    note(error, requireRequestId(response));
    response.setHeader('Connection', 'close');
    answerJson(response, error.status, errorBody(error));
  };
}

/**
 * Stops accepting connections, answers requests in flight and settles when the last connection is closed.
 *
 * @param deadlineMs when to cut the remaining connections
 */
export async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const cutAt = performance.now() + deadlineMs;
  // the other half is for their answers
  await acceptWaiting(server, cutAt - deadlineMs / 2);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // requests that arrived before the server was stopping
  for (const response of connectionsOf.get(server)?.values() ?? []) {
    if (response?.headersSent === false) response.setHeader('Connection', 'close');
  }
  // `close` ends only connections that are already idle
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  // to Node, these are not idle
  const unused = setTimeout(() => {
    for (const socket of connectionsOf.get(server)?.keys() ?? []) if (socket.bytesRead === 0) socket.destroy();
  }, FIRST_BYTE_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), cutAt - performance.now());
  await closed;
  clearInterval(sweep);
  clearTimeout(unused);
  clearTimeout(deadline);
}

/** Accepts the connections that have arrived while the process was busy: to close the port would reset them. */
async function acceptWaiting(server: Server, endsAt: number): Promise<void> {
  let accepted = 0;
  let turnsWithoutAny = 0;
  const onConnection = () => {
    accepted += 1;
    turnsWithoutAny = 0;
  };
  server.on('connection', onConnection);
  // a turn that has begun may be past accepting
  while (turnsWithoutAny < 2 && accepted < WAITING_CONNECTIONS_MAX && performance.now() < endsAt) {
    turnsWithoutAny += 1;
    await nextTurn();
  }
  server.off('connection', onConnection);
}

/**
 * True while an answer is being sent, or after it was sent to a request that is still arriving; more bytes would
 * corrupt it.
 */
function isAnswering(response: ServerResponse | undefined): boolean {
  if (response === undefined || !response.headersSent) return false;
  return !response.writableFinished || !response.req.complete;
}

/** True while a request that has arrived completely waits for its answer. */
function isUnanswered(response: ServerResponse | undefined): response is ServerResponse {
  return response?.req.complete === true && !response.headersSent;
}

/** An error of Node, or of its parser, which gives a reason in words of its own. */
interface ClientError extends NodeJS.ErrnoException {
  reason?: string;
}

/** Maps the error of a request that Node gave up on, before or while the application saw it. */
function clientErrorFor({ code, reason }: ClientError): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('HEADERS_TOO_LARGE', 'The headers and the URL of the request are larger than 16 KiB');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('PAYLOAD_TOO_LARGE', 'The chunk extensions of the request are larger than 16 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('REQUEST_TIMEOUT', 'The request did not arrive completely in time; send it again');
    default:
      return validationError([
        { path: '', message: `The request is not valid HTTP: ${reason ?? 'it cannot be parsed'}` },
      ]);
  }
}

function rawAnswer(error: ServiceError, requestId: string): string {
  const body = `${JSON.stringify(errorBody(error))}\n`;
  return [
    `HTTP/1.1 ${error.status} ${http.STATUS_CODES[error.status]}`,
    'Connection: close',
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
