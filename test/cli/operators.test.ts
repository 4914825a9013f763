import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace, type Workplace } from './run-cli.ts';

let workplace: Workplace;
let url: string;
beforeAll(async () => {
  url = `http://localhost:${await freePort()}`;
  workplace = createWorkplace({ BASE_URL: url });
});
afterAll(() => workplace.remove());

const ADDRESS = /^http:\/\/localhost:\d+\/dashboard\/sign-in#code=rb_signin_\w{36}$/;

describe('access to the dashboard', () => {
  it('needs an account first', async () => {
    const { exitCode, stderr } = await workplace.run(['login-link']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('npm run refbridge -- setup');
  });

  it('is printed by setup, for a first owner', async () => {
    const created = await workplace.json('setup', '--name', 'Example Ltd');
    expect(created.signInUrl).toMatch(ADDRESS);
    expect(created.apiKey).toMatch(/^rb_live_/);
    const { data } = await workplace.json('operators', 'list');
    expect(data).toMatchObject([{ name: 'Owner', email: null, role: 'owner', hasPassword: false }]);
  });

  it('is explained where setup prints it', async () => {
    const other = createWorkplace({ BASE_URL: url });
    const { stdout, stderr } = await other.run(['setup', '--name', 'Example Ltd']);
    expect(stdout).toContain('signInUrl');
    expect(stderr).toContain('as signInUrl does, once, within 30 minutes');
    other.remove();
  });

  it('is printed again by login-link: only the address goes to stdout', async () => {
    const { exitCode, stdout, stderr } = await workplace.run(['login-link']);
    expect(exitCode).toBe(0);
    expect(stdout.trim()).toMatch(ADDRESS);
    expect(stderr).toContain('works once');
    const link = await workplace.json('login-link');
    expect(Object.keys(link)).toEqual(['url', 'expires']);
    expect(link.url).not.toBe(stdout.trim());
    expect(Date.parse(link.expires)).toBeGreaterThan(Date.now() + 25 * 60_000);
  });

  it('opens a session on the server, in a cookie that works on plain http', async () => {
    const port = new URL(url).port;
    workplace.environment.PORT = port;
    await workplace.start('serve').saw(/listening/);
    const link = await workplace.json('login-link');
    const code = new URL(link.url).hash.replace('#code=', '');
    const answer = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ code }),
    });
    expect(answer.status).toBe(200);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^refbridge_session=rb_session_\w{36}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict$/,
    );
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect((await fetch(`${url}/api/programs`, { headers })).status).toBe(200);
  });

  it('is by invitation for others, and the error lists whom to name when there are several', async () => {
    const invite = ['operators', 'invite', '--name', 'Ana', '--email', 'Ana@example.com', '--role', 'viewer'];
    const invited = await workplace.json(...invite);
    expect(invited.signInUrl).toMatch(ADDRESS);
    expect(invited.operator).toMatchObject({ name: 'Ana', email: 'ana@example.com', role: 'viewer' });
    expect((await workplace.run(invite)).exitCode).toBe(1);
    const ambiguous = await workplace.run(['login-link']);
    expect(ambiguous.exitCode).toBe(1);
    expect(ambiguous.stderr).toMatch(/Name one with --operator: .*ana@example\.com \(Ana\)/);
    expect((await workplace.json('login-link', '--operator', 'ana@EXAMPLE.com')).url).toMatch(ADDRESS);
    expect((await workplace.json('login-link', '--operator', invited.operator.id)).url).toMatch(ADDRESS);
    expect((await workplace.run(['login-link', '--operator', 'nobody@example.com'])).exitCode).toBe(1);
    const role = await workplace.run([
      'operators',
      'invite',
      '--name',
      'x',
      '--email',
      'x@example.com',
      '--role',
      'boss',
    ]);
    expect([role.exitCode, role.stderr]).toEqual([2, expect.stringContaining('must be one of viewer, member, owner')]);
    expect(await workplace.json('operators', 'remove', invited.operator.id)).toEqual({
      id: invited.operator.id,
      removed: true,
    });
  });

  it('is never lost: the last owner stays', async () => {
    const { data } = await workplace.json('operators', 'list');
    const { exitCode, stderr } = await workplace.run(['operators', 'remove', data[0].id]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('last owner')]);
  });

  it('takes the first owner’s name and address for an account without operators', async () => {
    const { accountId } = await workplace.json('accounts', 'create', '--name', 'Second Ltd');
    const words = ['login-link', '--account', accountId, '--name', 'Bo', '--email', 'bo@example.com'];
    expect((await workplace.run(['login-link', '--account', accountId, '--email', 'none'])).exitCode).toBe(2);
    expect((await workplace.json(...words)).url).toMatch(ADDRESS);
    const { data } = await workplace.json('operators', 'list', '--account', accountId);
    expect(data).toMatchObject([{ name: 'Bo', email: 'bo@example.com', role: 'owner' }]);
  });

  it('for a partner is the address of their portal', async () => {
    const account = ['--account', (await workplace.json('accounts', 'list')).data[0].id];
    const partner = await workplace.json(
      'partners',
      'create',
      '--name',
      'Pia',
      '--email',
      'pia@example.com',
      ...account,
    );
    const link = await workplace.json('partners', 'portal-link', partner.id, ...account);
    expect(link.url).toMatch(/^http:\/\/localhost:\d+\/portal#code=rb_portalcode_\w{36}$/);
    expect((await workplace.run(['partners', 'portal-link', 'ptr_0', ...account])).exitCode).toBe(1);
  });

  it.each(['login-link', 'operators invite', 'operators remove', 'setup', 'partners portal-link'])(
    '%s --help shows how',
    async (words) => {
      const { exitCode, stdout } = await workplace.run([...words.split(' '), '--help']);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/\$ npm run refbridge -- |npm run refbridge -- operators list/);
    },
  );
});
