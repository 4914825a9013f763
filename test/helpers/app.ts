import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createAccount, type NewAccount } from '../../src/accounts/accounts.ts';
import type { MetricsAccess } from '../../src/app/metrics-access.ts';
import type { Service, ServiceParts } from '../../src/app/service.ts';
import { createApp } from '../../src/http/app.ts';
import { createMetrics } from '../../src/http/create-metrics.ts';
import type { Lifecycle } from '../../src/http/health.ts';
import { createPostgresCounter } from '../../src/http/postgres-counter.ts';
import { createMemoryCounter, type RequestCounter } from '../../src/http/rate-limit.ts';
import { type RouteGroup, routeGroups } from '../../src/http/routes.ts';
import { closeServer, createServer } from '../../src/http/server.ts';
import { createTestDatabase, type Engine } from './databases.ts';
import { createTestService } from './service.ts';

export interface TestAppOptions {
  /** What differs from the usual service: a clock, a rate limit. */
  service?: Partial<ServiceParts>;
  metrics?: MetricsAccess;
  /** As Express takes it; no proxy when absent. */
  trustProxy?: number | string;
  /** Routes besides those of the service. */
  groups?: (service: Service) => RouteGroup[];
  log?: Logger;
}

export interface CallOptions {
  /** Sent as JSON; a string or bytes are sent as they are, with the content type of JSON unless `headers` say another. */
  body?: unknown;
  /** The account's API key when absent; null for none. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed; undefined where there was none or it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape that there is
  body: any;
  text: string;
}

/** A running service on a database of its own, with one account: what every test over HTTP begins with. */
export interface TestApp extends NewAccount {
  service: Service;
  server: Server;
  url: string;
  databaseUrl: string;
  lifecycle: Lifecycle;
  /** One request, `/api/…`, as this account. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A further account, to look from the outside. */
  addAccount(name: string): Promise<NewAccount>;
  close(): Promise<void>;
}

const CLOSE_DEADLINE_MS = 2_000;
/** Not the usual 511: a test opens its connections before the server, in the same process, can accept the first. */
const CONNECTIONS_AT_ONCE = 4_096;
/** A busy machine is no database that does not answer: counts in memory would be counts beside it. */
const COUNT_PATIENCE_MS = 60_000;

export async function createTestApp(engine: Engine, options: TestAppOptions = {}): Promise<TestApp> {
  const { database, url: databaseUrl, remove } = await createTestDatabase(engine);
  const { log } = options;
  const service = createTestService({ database, ...(log === undefined ? {} : { log }), ...options.service });
  const counter = counterFor(engine, databaseUrl);
  const lifecycle: Lifecycle = { draining: false };
  const metrics = await createMetrics(options.metrics ?? { kind: 'off' });
  const groups = [...(options.groups?.(service) ?? []), ...routeGroups(service, { lifecycle, metrics })];
  const server = createServer(
    createApp(service, groups, { counter, metrics, trustProxy: options.trustProxy ?? false }),
    lifecycle,
  );
  const url = await listen(server);
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
          // the database is dropped while idle connections to it are open
        },
        COUNT_PATIENCE_MS,
      );
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', CONNECTIONS_AT_ONCE, resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One request to `url`, without a key where `key` names none. */
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
