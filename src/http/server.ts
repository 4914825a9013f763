import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError, validationError } from '../errors.ts';
import { errorBody } from './errors.ts';
import type { Lifecycle } from './health.ts';

/** A server that slow clients cannot hold: 5 s for the headers, 15 s for the whole request, looked at every second. */
export function createServer(app: RequestListener, lifecycle: Lifecycle): Server {
  const server = createHttpServer({
    headersTimeout: 5_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    // longer than the 60 s of the usual load balancers, so that it is they who end an idle connection
    keepAliveTimeout: 65_000,
  });
  const latestResponse = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    latestResponse.set(request.socket, response);
    if (lifecycle.draining) response.setHeader('Connection', 'close');
    app(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latestResponse.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || isUnderWay(response)) socket.destroy();
    else socket.end(rawAnswer(clientError(error.code)));
  });
  return server;
}

/**
 * Stops taking connections, answers what is under way and settles when the last connection is gone.
 *
 * @param deadlineMs after so long the connections that are left are cut
 */
export async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // `close` ends only the connections that are idle at that moment
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}

/** Whether bytes of ours in this moment would end up inside an answer, or behind one whose request still arrives. */
function isUnderWay(response: ServerResponse | undefined): boolean {
  if (response === undefined || !response.headersSent) return false;
  return !response.writableFinished || !response.req.complete;
}

/** What Node gave up on before the application saw it, or while it was still arriving. */
function clientError(code: string | undefined): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('HEADERS_TOO_LARGE', 'The headers and the URL of the request are larger than 16 KiB');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('PAYLOAD_TOO_LARGE', 'The chunk extensions of the request are larger than 16 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('REQUEST_TIMEOUT', 'The request did not arrive whole in time; send it again');
    default:
      return validationError([{ path: '', message: 'The request is not valid HTTP' }]);
  }
}

function rawAnswer(error: ServiceError): string {
  const body = JSON.stringify(errorBody(error));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
