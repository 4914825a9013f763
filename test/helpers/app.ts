import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { createAccount, type NewAccount } from '../../src/accounts/accounts.ts';
import type { MetricsAccess } from '../../src/app/metrics.ts';
import type { Route } from '../../src/app/route.ts';
import type { Lifecycle, Service, ServiceParts } from '../../src/app/service.ts';
import { createApp } from '../../src/http/app.ts';
import { trustedProxies } from '../../src/http/client-address.ts';
import type { ConnectionLimits } from '../../src/http/connection-limits.ts';
import { noteRefusals } from '../../src/http/errors.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createPostgresCounter } from '../../src/http/postgres-counter.ts';
import { createMemoryCounter, type RequestCounter } from '../../src/http/rate-limit.ts';
import { createCompatRoutes, createRoutes } from '../../src/http/routes.ts';
import { closeServer, createServer } from '../../src/http/server.ts';
import { droppedLogLines } from '../../src/process/log.ts';
import { replicaFallbacks, replicaLagMs } from '../../src/storage/replica.ts';
import { stoppedReports } from '../../src/storage/report-deadline.ts';
import { createTestDatabase, type Engine } from './databases.ts';
import { freePort } from './free-port.ts';
import { listenLocally } from './listen-locally.ts';
import { createTestService } from './service.ts';
import { declareTestServer } from './test-servers.ts';

export interface TestAppOptions {
  /** Overrides of the default service: a clock, a rate limit. */
  service?: Partial<ServiceParts>;
  metrics?: MetricsAccess;
  /** As Express's `trust proxy`; no proxy by default. */
  trustProxy?: number | string;
  /** Routes besides those of the service. */
  routes?: readonly Route[];
  log?: Logger;
  limits?: Partial<ConnectionLimits>;
  /** A free port by default. Set it for a browser, which needs the service to know its own address. */
  port?: number;
}

export interface CallOptions {
  /** Sent as JSON; a string or bytes are sent unchanged, as JSON unless `headers` set another content type. */
  body?: unknown;
  /** The account's API key by default; null for none. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed; undefined without a JSON body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape that there is
  body: any;
  text: string;
}

/** A running service on its own database, with one account: the start of every test over HTTP. */
export interface TestApp extends NewAccount {
  service: Service;
  server: Server;
  url: string;
  databaseUrl: string;
  lifecycle: Lifecycle;
  /** One request, `/api/…`, as this account. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Adds another account, to test isolation. */
  addAccount(name: string): Promise<NewAccount>;
  close(): Promise<void>;
}

/** A running service for tests that each need an empty account. */
export interface AppOfMany {
  /** The service with a new account. */
  addApp(): Promise<TestApp>;
  close(): Promise<void>;
}

const CLOSE_DEADLINE_MS = 2_000;
/** Above the default 511, because a test opens all its connections before the server, in the same process, accepts one. */
const CONNECTIONS_AT_ONCE = 4_096;
/**
 * Long, so that a busy machine does not look like an unreachable database, in which case requests would be counted in
 * memory.
 */
const COUNT_PATIENCE_MS = 60_000;

export async function createTestApp(engine: Engine, options: TestAppOptions = {}): Promise<TestApp> {
  const { database, url: databaseUrl, remove } = await createTestDatabase(engine);
  const { log } = options;
  const metrics = await createMetrics(options.metrics ?? { kind: 'off' }, {
    droppedLogLines,
    stoppedReports,
    replica: { fallbacks: replicaFallbacks, lagMs: replicaLagMs },
  });
  const parts = { database, metrics, lifecycle: { draining: false }, ...(log === undefined ? {} : { log }) };
  const service = createTestService({ ...parts, ...options.service });
  const { lifecycle } = service;
  const counter = counterFor(engine, databaseUrl);
  const routes = [...(options.routes ?? []), ...createRoutes(), ...createCompatRoutes()];
  const isTrusted = trustedProxies(options.trustProxy ?? false);
  const app = createApp(service, routes, { counter, isTrusted });
  const server = createServer(app, lifecycle, {
    isTrusted,
    metrics,
    noteRefusal: noteRefusals(service),
    ...options.limits,
  });
  const url = await listenLocally(server, options.port, CONNECTIONS_AT_ONCE);
  declareTestServer(url, routes);
  const account = await createAccount(service, { name: 'Example Ltd' });
  return {
    ...account,
    service,
    server,
    url,
    databaseUrl,
    lifecycle,
    call: (method, path, callOptions = {}) => call(url + path, method, { key: account.apiKey, ...callOptions }),
    addAccount: (name) => createAccount(service, { name }),
    async close() {
      await closeServer(server, CLOSE_DEADLINE_MS);
      await counter.close();
      await remove();
    },
  };
}

function counterFor(engine: Engine, databaseUrl: string): RequestCounter {
  return engine === 'sqlite'
    ? createMemoryCounter()
    : createPostgresCounter(
        databaseUrl,
        () => {
          // the database is dropped while idle connections are still open
        },
        { timeoutMs: COUNT_PATIENCE_MS },
      );
}

/**
 * Another account takes a fraction of the work of another service with its own database. The service knows its own address,
 * because links of several accounts can only share that host.
 */
export async function createAppOfMany(
  engine: Engine,
  { service, ...options }: TestAppOptions = {},
): Promise<AppOfMany> {
  const port = await freePort();
  const app = await createTestApp(engine, {
    port,
    service: { baseUrl: `http://127.0.0.1:${port}`, ...service },
    ...options,
  });
  const addApp = async (): Promise<TestApp> => {
    const account = await app.addAccount('Example Ltd');
    return {
      ...app,
      ...account,
      call: (method, path, callOptions = {}) => call(app.url + path, method, { key: account.apiKey, ...callOptions }),
    };
  };
  return { addApp, close: app.close };
}

/** One request to `url`; without a key when `key` is null. */
export async function call(
  url: string,
  method: string,
  { body, key, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: asBody(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text), text };
}

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
