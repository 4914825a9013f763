import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProfiles, writeProfiles } from '../../src/cli/connection/profiles.ts';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const home = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
/** A folder without a database. */
const elsewhere = createWorkplace();
const file = join(elsewhere.folder, '.config/refbridge/config.json');

let first: { accountId: string; apiKey: string };
let second: { accountId: string; apiKey: string };

beforeAll(async () => {
  const server = home.start('serve');
  await server.saw(/listening/);
  first = await home.json('setup', '--name', 'First Ltd');
  second = await home.json('accounts', 'create', '--name', 'Second Ltd');
});
afterAll(async () => {
  await elsewhere.remove();
  await home.remove();
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('refbridge login', () => {
  it('checks the key before it stores anything', async () => {
    const wrong = `rb_live_${'x'.repeat(36)}`;
    const { exitCode, stderr } = await elsewhere.run(['login', '--url', url, '--api-key', wrong]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`${url} does not accept the API key`);
    expect(stderr).not.toContain(wrong);
    expect(existsSync(file)).toBe(false);
  });

  it('says where a wrong address comes from', async () => {
    const { exitCode, stderr } = await elsewhere.run(['login'], { environment: { REFBRIDGE_URL: 'refer' } });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^REFBRIDGE_URL must be the address/)]);
  });

  it('reads the key from standard input, and stores it for this user only', async () => {
    const words = ['login', '--url', `${url}/api/`];
    const { exitCode, stderr, stdout } = await elsewhere.spawn(words, { input: `${first.apiKey}\n` });
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`Logged in to ${url}`);
    expect(stderr).not.toContain(first.apiKey);
    expect([modeOf(file), modeOf(join(file, '..'))]).toEqual([0o600, 0o700]);
    const stored = { current: 'default', profiles: { default: { url, apiKey: first.apiKey } } };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(stored);
    expect(await elsewhere.json('whoami')).toMatchObject({ accountId: first.accountId, from: 'profile default' });
  });

  it('keeps several profiles and uses the last one', async () => {
    await elsewhere.json('login', '--url', url, '--api-key', second.apiKey, '--profile', 'other');
    expect(await elsewhere.json('whoami')).toMatchObject({ accountId: second.accountId, from: 'profile other' });
    const named = await elsewhere.json('whoami', '--profile', 'default');
    expect(named).toMatchObject({
      accountId: first.accountId,
      where: url,
      scope: 'full',
      key: expect.stringContaining('…'),
    });
    expect(JSON.stringify(named)).not.toContain(first.apiKey);
    for (const name of ['none', 'constructor']) {
      const unknown = await elsewhere.run(['whoami', '--profile', name]);
      expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('default, other')]);
    }
  });

  it('is overridden by the environment, which is overridden by options', async () => {
    const environment = { REFBRIDGE_URL: url, REFBRIDGE_API_KEY: first.apiKey };
    const from = async (...words: string[]) => {
      const { stdout, stderr } = await elsewhere.run(['whoami', '--json', ...words], { environment });
      expect(stdout, stderr).not.toBe('');
      return JSON.parse(stdout);
    };
    const { accountId } = first;
    expect(await from()).toMatchObject({ accountId, from: 'REFBRIDGE_URL', keyFrom: 'REFBRIDGE_API_KEY' });
    expect(await from('--profile', 'other')).toMatchObject({ accountId: second.accountId, keyFrom: 'profile other' });
    const given = await from('--url', url, '--api-key', second.apiKey);
    expect(given).toMatchObject({ accountId: second.accountId, from: '--url', keyFrom: '--api-key' });
  });

  it('never sends the key of one server to another', async () => {
    const { exitCode, stderr } = await elsewhere.run(['whoami', '--url', 'http://127.0.0.1:1']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('There is no API key for http://127.0.0.1:1')]);
    // a key alone in the environment belongs to no known server
    const { stdout } = await elsewhere.run(['whoami', '--json'], { environment: { REFBRIDGE_API_KEY: first.apiKey } });
    expect(JSON.parse(stdout)).toMatchObject({ accountId: second.accountId, keyFrom: 'profile other' });
  });

  it('uses the key of the environment for its own server, or for that of --url if it names none', async () => {
    const whoami = async (environment: Record<string, string>) =>
      elsewhere.run(['whoami', '--json', '--url', url], {
        environment: { REFBRIDGE_API_KEY: first.apiKey, ...environment },
      });
    const keyFrom = async (environment: Record<string, string>) =>
      JSON.parse((await whoami(environment)).stdout).keyFrom;
    expect(await keyFrom({})).toBe('REFBRIDGE_API_KEY');
    expect(await keyFrom({ REFBRIDGE_URL: `${url}/api/` })).toBe('REFBRIDGE_API_KEY');
    expect(await keyFrom({ REFBRIDGE_URL: 'https://refer.example.com' })).toMatch(/^profile /);
    const environment = { REFBRIDGE_URL: url, REFBRIDGE_API_KEY: first.apiKey };
    const other = await elsewhere.run(['whoami', '--url', 'http://127.0.0.1:1'], { environment });
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('no API key for http://127.0.0.1:1')]);
  });

  it('is overridden by --local, and says where it looked', async () => {
    const { exitCode, stderr } = await elsewhere.run(['sales', 'list', '--local']);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('There is no database at')]);
    expect((await elsewhere.run(['sales', 'list', '--local', '--url', url])).exitCode).toBe(2);
    const verbose = await elsewhere.run(['sales', 'list', '--verbose']);
    expect(verbose.stderr).toContain(`Using ${url} (profile other)`);
    const local = await home.run(['sales', 'list', '--verbose', '--account', first.accountId]);
    expect(local.stderr).toContain(join(home.folder, 'data/refbridge.db'));
  });

  it('refuses a file that others may read', async () => {
    chmodSync(file, 0o644);
    const { exitCode, stderr } = await elsewhere.run(['sales', 'list']);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`chmod 600 ${file}`)]);
    chmodSync(file, 0o600);
  });

  it('is undone by logout, profile by profile', async () => {
    expect(await elsewhere.json('logout')).toMatchObject({ profile: 'other', current: 'default' });
    expect(await elsewhere.json('logout')).toMatchObject({ profile: 'default', current: null });
    expect(readFileSync(file, 'utf8')).not.toContain('rb_live_');
    expect((await elsewhere.run(['logout'])).exitCode).toBe(1);
    expect((await elsewhere.run(['sales', 'list'])).stderr).toContain('There is no database at');
    expect((await elsewhere.run(['sales', 'list'])).stderr).toContain('For a server elsewhere');
    expect((await elsewhere.run(['doctor'])).stdout).not.toContain('--url');
  });
});

describe('a server that does not do what is requested', () => {
  async function answering(status: number, body: string, version = '9.9.9'): Promise<Server & { url: string }> {
    const server = createServer((request, response) => {
      const isVersion = request.url === '/';
      response.writeHead(isVersion ? 200 : status, { 'content-type': 'application/json' });
      response.end(isVersion ? JSON.stringify({ name: 'refbridge', version, docs: '' }) : body);
    });
    const at = await freePort();
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
    return Object.assign(server, { url: `http://127.0.0.1:${at}` });
  }

  // a separate process, because this one checks every answer against its route's declaration
  const spawnList = (at: string) => elsewhere.spawn(['sales', 'list', '--url', at, '--api-key', 'rb_live_x']);
  const list = (at: string, key = 'rb_live_x') => elsewhere.run(['sales', 'list', '--url', at, '--api-key', key]);

  it.each([
    ['not reachable', 'http://127.0.0.1:1', /127\.0\.0\.1:1 does not answer: .*\nCheck the address/],
    ['without TLS', url.replace('http:', 'https:'), /does not answer: it speaks http, not https\.\nCheck the address/],
  ])('is %s: exit code 3', async (_, at, message) => {
    const { exitCode, stderr } = await list(at);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(message)]);
  });

  it('accepts only keys of scope track or read: the message says so', async () => {
    const { key } = await home.json('keys', 'create', '--name', 'x', '--scope', 'read', '--account', first.accountId);
    expect((await list(url, key)).exitCode).toBe(0);
    const refused = await elsewhere.run(['keys', 'create', '--name', 'y', '--url', url, '--api-key', key]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/scope.*\(the API key from --api-key\)/s),
    ]);
  });

  it('runs another version: the message names both', async () => {
    const server = await answering(
      404,
      '{"error":{"code":"NOT_FOUND","message":"There is nothing at GET /api/sales"}}',
    );
    const { exitCode, stderr } = await spawnList(server.url);
    server.close();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The server runs version 9.9.9')]);
  });

  it('is something else: the message says to check the address', async () => {
    const server = await answering(502, '<html>Bad gateway</html>');
    const { exitCode, stderr } = await spawnList(server.url);
    server.close();
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('answered 502, but not as Refbridge does')]);
  });

  it('refuses input as the local database does', async () => {
    const words = ['partners', 'create', '--name', 'Ben', '--email', 'ben'];
    const local = await home.run([...words, '--account', first.accountId]);
    const remote = await elsewhere.run([...words, '--url', url, '--api-key', first.apiKey]);
    expect(remote).toEqual(local);
    expect(remote.exitCode).toBe(2);
  });

  it('reserves some actions for signed-in operators', async () => {
    const { exitCode, stderr } = await elsewhere.run(['--url', url, '--api-key', 'x', 'operators', 'list']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('only a signed-in operator')]);
  });
});

it('for a damaged file of profiles, the error says what to do', async () => {
  writeFileSync(file, '{', { mode: 0o600 });
  const { exitCode, stderr } = await elsewhere.run(['sales', 'list']);
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('is damaged: delete it')]);
});

describe('over HTTP', () => {
  it('listen receives events without a database', async () => {
    const listening = elsewhere.start('--url', url, '--api-key', first.apiKey, 'listen');
    await listening.saw(/Listening/);
    expect(await listening.stop()).toBe(0);
    const { exitCode, stderr } = await elsewhere.run(['listen', '--url', url, '--api-key', 'rb_live_wrong']);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('does not accept the API key from --api-key')]);
  });

  it('says why an endpoint refused deliveries', async () => {
    const words = ['--processor', 'stripe', '--secret', 'whsec_x', '--account', first.accountId];
    const endpoint = await home.json('endpoints', 'create', ...words);
    expect((await fetch(endpoint.url, { method: 'POST', body: '{}' })).ok).toBe(false);
    const show = ['--url', url, '--api-key', first.apiKey, 'endpoints', 'show', endpoint.id];
    const printed = async () => (await elsewhere.run(show)).stdout;
    await expect.poll(printed, { timeout: 30_000 }).toMatch(/Refused deliveries, the latest first:\n {2}\S+Z {2}\w/);
    expect(JSON.parse((await elsewhere.run([...show, '--json'])).stdout).refusals).toHaveLength(1);
  });
});

it('says that the stored logins cannot be read or written, and where to store them instead', async () => {
  const nowhere = '/dev/null/refbridge/config.json';
  expect(() => readProfiles(nowhere)).toThrow(`${nowhere} cannot be read (ENOTDIR`);
  expect(() => writeProfiles({ current: null, profiles: {} }, nowhere)).toThrow(/cannot be written .*XDG_CONFIG_HOME/);
});
