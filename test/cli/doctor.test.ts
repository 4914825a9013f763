import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { startOpenIdProvider } from '../helpers/open-id-provider.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
afterAll(() => workplace.remove());

interface Check {
  check: string;
  status: string;
  message: string;
  advice: string | null;
}

async function examine(environment: Record<string, string> = {}) {
  const { exitCode, stdout } = await workplace.run(['doctor', '--json'], { environment });
  const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: Check[] };
  const statusOf = (name: string) => checks.find(({ check }) => check.startsWith(name))?.status;
  return { exitCode, healthy, checks, statusOf };
}

describe('refbridge doctor', () => {
  beforeAll(async () => {
    const server = workplace.start('serve');
    await server.saw(/listening/);
    await workplace.json('setup');
    await workplace.json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_example');
    // its first answer takes the longest, and doctor waits for 3 s
    await fetch(`${url}/health/ready`);
  });

  it('reports a running, durable service as sound, and warns of an unused endpoint', async () => {
    const { exitCode, healthy, checks, statusOf } = await examine();
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(healthy).toBe(true);
    expect(exitCode).toBe(0);
    for (const check of [
      'configuration',
      'database',
      'durability',
      'migrations',
      'server',
      'clock',
      'deliveries',
      'links',
    ]) {
      expect([check, statusOf(check)]).toEqual([check, 'ok']);
    }
    expect(statusOf('endpoint')).toBe('warning');
  });

  it('prints the same as lines for people, with advice', async () => {
    const { stdout, stderr } = await workplace.run(['doctor']);
    expect(stdout).toMatch(/^✓ durability: synchronous is FULL$/m);
    expect(stdout).toMatch(
      /^! endpoint whe_\w+: stripe has delivered nothing yet\n {4}Enter http\S+ at Stripe: Developers/m,
    );
    expect(stderr).toContain('Nothing is broken.');
  });

  it('finds secrets that another key sealed', async () => {
    const { exitCode, statusOf } = await examine({ SECRET_KEY: randomBytes(32).toString('base64') });
    expect(statusOf('endpoint')).toBe('failed');
    expect(exitCode).toBe(1);
  });

  it('warns of links on a domain that is not the server, and of a server that does not answer', async () => {
    const { id } = await workplace.json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
    await workplace.json(
      'links',
      'create',
      '--partner',
      id,
      '--url',
      'https://shop.example.com',
      '--domain',
      'go.example.com',
    );
    const { exitCode, checks, statusOf } = await examine({ BASE_URL: `http://127.0.0.1:${await freePort()}` });
    expect(statusOf('server')).toBe('warning');
    expect(checks.find(({ check }) => check === 'server')?.message).toContain('the connection was refused');
    const secure = await examine({ BASE_URL: url.replace('http:', 'https:') });
    expect(secure.checks.find(({ check }) => check === 'server')?.message).toContain('it speaks http, not https');
    expect(checks.find(({ check }) => check === 'links')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('go.example.com'),
      advice: expect.stringMatching(/`\S.*links update <id> --domain 127\.0\.0\.1:\d+`.* BASE_URL/),
    });
    expect(exitCode).toBe(0);
  });

  it.each([
    [
      503,
      '{"status": "failed", "problems": ["Writes fail: its disk is full"]}',
      /answers 503: Writes fail: its disk is/,
    ],
    [503, '{"status": "draining", "problems": []}', /answers 503: it is stopping$/],
    [200, '<title>Our shop</title>', /answers 200, but not as Refbridge does$/],
    [308, '', /redirects to https:\/\/refer\.example\.com\/$/],
  ])('repeats what the server says about itself: %s %s', async (status, body, message) => {
    const headers = { location: 'https://refer.example.com/' };
    const other = createServer((_, response) => response.writeHead(status, headers).end(body));
    const { checks } = await examine({ BASE_URL: await listenLocally(other) });
    other.close();
    expect(checks.find(({ check }) => check === 'server')).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(message),
    });
  });

  it('finds an endpoint without a secret, which refuses every delivery', async () => {
    const { id } = await workplace.json('endpoints', 'create', '--processor', 'polar');
    const { exitCode, healthy, checks } = await examine();
    expect(checks.find(({ check }) => check === `endpoint ${id}`)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('no secret'),
    });
    expect([exitCode, healthy]).toEqual([1, false]);
  });

  it("reads the OpenID provider's description when one is configured", async () => {
    const provider = await startOpenIdProvider();
    const { issuer } = provider.settings;
    const client = { OIDC_CLIENT_ID: 'refbridge', OIDC_CLIENT_SECRET: 'never-to-be-seen' };
    const found = async (OIDC_ISSUER: string) => {
      const { checks } = await examine({ ...client, OIDC_ISSUER });
      expect(JSON.stringify(checks)).not.toContain('never-to-be-seen');
      return checks.find(({ check }) => check === 'single sign-on');
    };
    const callback = `${url}/dashboard/single-sign-on/callback`;
    expect(await found(issuer)).toMatchObject({ status: 'ok', message: expect.stringContaining(callback) });
    expect(await found(`${issuer}/tenant`)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(issuer),
    });
    await provider.close();
    expect(await found(issuer)).toMatchObject({ status: 'failed', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('finds an invalid configuration, and a missing database', async () => {
    const wrong = await examine({ PORT: 'eighty' });
    expect(wrong.checks).toEqual([expect.objectContaining({ check: 'configuration', status: 'failed' })]);
    expect(wrong.exitCode).toBe(1);
    const missing = await examine({ DATABASE_URL: 'file:./nowhere/x.db' });
    expect(missing.statusOf('database')).toBe('failed');
    expect(missing.exitCode).toBe(1);
    const { stdout } = await workplace.run(['doctor'], { environment: { DATABASE_URL: 'file:./nowhere/x.db' } });
    // of several lines, only the first is beside the mark
    expect(stdout.trimEnd().split('\n')).toEqual(stdout.match(/^(?:[✓✗] | {4}).+$/gm));
  });
});
