import { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { createPostgresProxy, type PostgresProxy } from '../../helpers/postgres-proxy.ts';

/** Less than the idle time after which any firewall or load balancer forgets a connection. */
const SILENCE_MS_MAX = 60_000;

describe('connections to PostgreSQL that may be idle for long', () => {
  let test: TestDatabase;
  let proxy: PostgresProxy;
  beforeAll(async () => {
    test = await createTestDatabase('postgres');
    proxy = await createPostgresProxy(test.url);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await proxy.close();
    await test.remove();
  });

  it('are all kept alive, those of migrations, exports, imports and replicas included', async () => {
    const connecting = vi.spyOn(Socket.prototype, 'connect');
    const keepingAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const replica = { url: proxy.url, lagMaxMs: 1_000, onChange: () => {} };
    const database = await openDatabase(proxy.url, { replica });
    await database.read((tx) => tx.get('SELECT 1 AS one'));
    await database.report((tx) => tx.get('SELECT 1 AS one'));
    await database.write((tx) => tx.get('SELECT 1 AS one'), { alone: true });
    await database.snapshot((tx) => tx.get('SELECT 1 AS one'));
    await database.bulk((tx) => tx.get('SELECT 1 AS one'));
    await database.close();
    const port: unknown = Number(new URL(proxy.url).port);
    const connected = connecting.mock.contexts.filter((_, call) => connecting.mock.calls[call]?.[0] === port);
    const delays = new Map(
      keepingAlive.mock.contexts.map((socket, call) => [socket, keepingAlive.mock.calls[call]?.[1]]),
    );
    expect(connected.length).toBeGreaterThanOrEqual(8);
    for (const socket of connected) {
      expect(delays.get(socket as Socket)).toBeGreaterThan(0);
      expect(delays.get(socket as Socket)).toBeLessThanOrEqual(SILENCE_MS_MAX);
    }
  });
});
