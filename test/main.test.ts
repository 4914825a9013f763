import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, ConfigError, readConfig } from '../src/config.ts';
import { openService, startServer } from '../src/main.ts';
import { createAccount, type NewAccount } from '../src/tracking/accounts.ts';
import { createTestDatabase, engines, type TestDatabase } from './helpers/databases.ts';
import { openConnection } from './helpers/raw-connection.ts';

const EXIT_DEADLINE_MS = 10_000;
const SERVE = `
  import { readConfig } from './src/config.ts';
  import { serve } from './src/main.ts';
  await serve(readConfig(process.env));
`;

describe.each(engines)('a running server, on %s', (engine) => {
  let database: TestDatabase;
  let environment: Record<string, string>;
  let config: Config;
  let account: NewAccount;

  beforeEach(async () => {
    database = await createTestDatabase(engine);
    environment = {
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '1000000',
      BASE_URL: 'https://refer.example.com',
      DATABASE_URL: database.url,
      ...(engine === 'postgres' ? { SECRET_KEY: Buffer.alloc(32, 3).toString('hex') } : {}),
    };
    config = readConfig(environment);
    const service = await openService(config, pino({ level: 'silent' }));
    account = await createAccount(service, { name: 'Example Ltd' });
    await service.database.close();
  });
  afterEach(() => database.remove());

  const headers = () => ({ authorization: `Bearer ${account.apiKey}`, connection: 'close' });

  it('on SIGTERM turns unready, answers what is under way, and ends with 0 within 10 s, under load', async () => {
    const { child, url } = await startChild(environment);
    const exited = once(child, 'exit');
    const statuses: number[] = [];
    let isReady = true;
    const client = async () => {
      while (isReady) statuses.push((await fetch(`${url}/api/api-keys`, { headers: headers() })).status);
    };
    const clients = Promise.all(Array.from({ length: 16 }, client));
    await sleep(300);

    const slow = openConnection(url);
    const body = '{"name":"Sent slowly"}';
    slow.socket.write(
      `POST /api/api-keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await sleep(100);
    const stoppedAt = performance.now();
    child.kill('SIGTERM');

    while (isReady) {
      const ready = await fetch(`${url}/health/ready`, { headers: headers() });
      isReady = ready.status === 200;
      await ready.text();
    }
    await clients;
    await sleep(2_000);
    slow.socket.write(body.slice(5));
    expect(await slow.ended).toMatch(/^HTTP\/1\.1 201 /);

    expect(await exited).toEqual([0, null]);
    expect(performance.now() - stoppedAt).toBeLessThan(EXIT_DEADLINE_MS);
    expect(statuses.length).toBeGreaterThan(50);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('on SIGTERM does not wait longer than 10 s for a request that never ends', async () => {
    const { child, url } = await startChild(environment);
    const exited = once(child, 'exit');
    const stuck = openConnection(url);
    stuck.socket.write('POST /webhooks/stripe/whe_1 HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx');
    await sleep(100);
    const stoppedAt = performance.now();
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - stoppedAt).toBeLessThan(EXIT_DEADLINE_MS);
    await stuck.ended;
  });

  it('on SIGINT ends at once when nothing is under way', async () => {
    const { child } = await startChild(environment);
    const exited = once(child, 'exit');
    const stoppedAt = performance.now();
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - stoppedAt).toBeLessThan(1_000);
  });

  it('is refused on a port that is taken, and lets go of everything', async () => {
    const first = await startServer(config, pino({ level: 'silent' }));
    const other = await createTestDatabase(engine);
    const taken = { ...environment, DATABASE_URL: other.url, PORT: new URL(first.url).port };
    await expect(startServer(readConfig(taken), pino({ level: 'silent' }))).rejects.toThrow(ConfigError);
    await first.close();
    const second = await startServer(readConfig(taken), pino({ level: 'silent' }));
    expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);
    await second.close();
    await other.remove();
  });

  it(`${engine === 'sqlite' ? 'refuses' : 'accepts'} a second one on the same database`, async () => {
    const first = await startServer(config, pino({ level: 'silent' }));
    const second = startServer(config, pino({ level: 'silent' }));
    if (engine === 'sqlite') await expect(second).rejects.toThrow('Another server is running');
    else await (await second).close();
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
    await first.close();
  });
});

async function startChild(environment: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SERVE], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    seen.push(line);
    if (!line.includes('"listening"')) continue;
    child.stderr.resume();
    return { child, url: JSON.parse(line).url };
  }
  throw new Error(`The server did not start:\n${seen.join('\n')}`);
}
