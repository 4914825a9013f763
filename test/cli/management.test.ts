import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyDatabase } from '../helpers/databases.ts';
import { createWorkplace, type Ended } from './run-cli.ts';

const workplace = createWorkplace();
let first: Ended;

beforeAll(async () => {
  first = await workplace.spawn(['setup', '--name', 'Example Ltd', '--json']);
});
afterAll(() => workplace.remove());

describe('refbridge setup', () => {
  it('creates account, program and key in a new database, and prints them as one line of JSON', () => {
    expect(first.exitCode).toBe(0);
    expect(first.stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(first.stdout)).toEqual({
      accountId: expect.stringMatching(/^acc_/),
      programId: expect.stringMatching(/^prg_/),
      signInUrl: expect.stringMatching(/^http:\/\/localhost:3000\/dashboard\/sign-in#code=rb_signin_\w{36}$/),
      apiKey: expect.stringMatching(/^rb_live_[0-9A-Za-z]{36}$/),
    });
    expect(statSync(join(workplace.folder, 'data/secret.key')).mode & 0o777).toBe(0o600);
  });

  it('refuses to run twice, and suggests what to do instead', async () => {
    const { exitCode, stdout, stderr } = await workplace.run(['setup']);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('Example Ltd');
    expect(stderr).toContain('npm run refbridge -- accounts create --name');
  });
});

describe('the management commands', () => {
  it('show an API key once, and afterwards only its first and last characters', async () => {
    const { id, key } = await workplace.json('keys', 'create', '--name', 'production backend', '--rate-limit', '50');
    const { data, nextCursor } = await workplace.json('keys', 'list');
    expect(nextCursor).toBeNull();
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ id, rateLimitPerMinute: 50, lastFour: key.slice(-4), revokedAt: null });
    expect(JSON.stringify(data)).not.toContain(key);

    await workplace.json('keys', 'revoke', id);
    expect((await workplace.json('keys', 'list')).data[0].revokedAt).not.toBeNull();
    expect((await workplace.run(['keys', 'revoke', 'key_none'])).exitCode).toBe(1);
  });

  it('give an API key its scope, and full access without one', async () => {
    const create = (...options: string[]) => workplace.json('keys', 'create', '--name', 'shop', ...options);
    expect((await create('--scope', 'track')).scope).toBe('track');
    expect((await create()).scope).toBe('full');
    expect((await workplace.run(['keys', 'create', '--name', 'shop', '--scope', 'write'])).exitCode).toBe(2);
  });

  it('take a partner to a shareable link', async () => {
    const created = await workplace.json(
      'partners',
      'create',
      '--name',
      'Ana',
      '--email',
      'ana@example.com',
      '--code',
      'A1,A2, "SPRING, 20"',
    );
    expect(created).toMatchObject({ name: 'Ana', discountCodes: ['A1', 'A2', 'SPRING, 20'], status: 'active' });
    const words = ['links', 'create', '--partner', created.id, '--url', 'https://shop.example.com/', '--key', 'ana'];
    expect(await workplace.json(...words)).toMatchObject({ shortLink: 'http://localhost:3000/ana', clicks: 0 });

    const table = await workplace.run(['links', 'list']);
    expect(table.stdout).toMatch(/^id +link +leads to/);
    expect(table.stdout).toContain('http://localhost:3000/ana');
    const taken = await workplace.run(words);
    expect(taken.exitCode).toBe(1);
    expect(taken.stderr).toContain('is taken');
  });

  it('report an invalid value with exit code 2', async () => {
    const { exitCode, stderr } = await workplace.run(['partners', 'create', '--name', 'Ben', '--email', 'ben']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('email: must be an e-mail address');
  });

  it('read secrets from standard input, store them and never print them', async () => {
    const endpoint = await workplace.json('endpoints', 'create', '--processor', 'stripe');
    expect(endpoint).toMatchObject({ secretCount: 0, url: `http://localhost:3000/webhooks/stripe/${endpoint.id}` });
    const input = 'whsec_old\nwhsec_new\n';
    const updated = await workplace.spawn(['endpoints', 'update', endpoint.id, '--secret-stdin', '--json'], { input });
    expect(JSON.parse(updated.stdout)).toMatchObject({ secretCount: 2 });
    const changed = await workplace.json('endpoints', 'update', endpoint.id, '--accept-test-events');
    expect(changed).toMatchObject({ secretCount: 2, acceptTestEvents: true });
    const shown = await workplace.run(['endpoints', 'show', endpoint.id]);
    expect(shown.stdout).toContain(endpoint.url);
    expect(updated.stdout + shown.stdout).not.toContain('whsec_');

    const kept = await workplace.spawn(['endpoints', 'update', endpoint.id, '--secret-stdin'], { input: '\n' });
    expect([kept.exitCode, kept.stderr]).toEqual([2, 'Standard input holds no secret; nothing was changed.\n']);
    expect((await workplace.run(['endpoints', 'update', endpoint.id])).exitCode).toBe(2);
    expect((await workplace.json('endpoints', 'show', 'stripe')).secretCount).toBe(2);
    expect((await workplace.json('endpoints', 'update', 'stripe', '--secret', 'none')).secretCount).toBe(0);

    expect(await workplace.json('endpoints', 'delete', 'stripe')).toEqual({ id: endpoint.id, deleted: true });
    expect((await workplace.run(['endpoints', 'show', endpoint.id])).exitCode).toBe(1);
  });

  it.each([
    ['stripe', /URL at Stripe: .* set the secret that Stripe shows:\n.* endpoints update whe_\w+ --secret-stdin$/],
    ['lemon-squeezy', /a secret of your own, the same as at Lemon Squeezy:\n.* whe_\w+ --secret-stdin$/],
    ['revenuecat', /random authorization of your own, the same as at RevenueCat:\n.* whe_\w+ --authorization <text>$/],
  ])('say how an endpoint of %s gets its secret', async (processor, advice) => {
    const { stderr } = await workplace.run(['endpoints', 'create', '--processor', processor]);
    expect(stderr.trim()).toMatch(advice);
    expect((await workplace.run(['doctor'])).stdout).toMatch(new RegExp(`${processor} has no secret.*\\n +Set a? ?`));
    await workplace.run(['endpoints', 'delete', processor]);
  });

  it.each([
    ['programs', 'list'],
    ['sales', 'list'],
    ['deliveries', 'list'],
    ['parked', 'list'],
    ['ledger', 'list'],
    ['payouts', 'list'],
  ])('%s %s prints a page', async (...words) => {
    expect(await workplace.json(...words)).toEqual({ data: expect.any(Array), nextCursor: null });
  });

  it('require the account when there are several, and keep accounts separate', async () => {
    const second = await workplace.json('accounts', 'create', '--name', 'Second Ltd');
    const unsure = await workplace.run(['keys', 'list']);
    expect(unsure.exitCode).toBe(2);
    expect(unsure.stderr).toContain('--account <id>');
    expect(unsure.stderr).toContain(second.accountId);

    const { data } = await workplace.json('keys', 'list', '--account', second.accountId);
    expect(data).toHaveLength(1);
    expect((await workplace.json('accounts', 'list')).data).toHaveLength(2);
    expect((await workplace.run(['keys', 'list', '--account', 'acc_none'])).exitCode).toBe(2);
  });
});

describe('the command line on PostgreSQL', () => {
  it('sets up, stores a secret and lists, with the key from the environment', async () => {
    const { url, remove } = await createEmptyDatabase('postgres');
    const elsewhere = createWorkplace({ DATABASE_URL: url, SECRET_KEY: '5a'.repeat(32) });
    try {
      const { accountId } = await elsewhere.json('setup');
      const { id } = await elsewhere.json(
        'endpoints',
        'create',
        '--processor',
        'paddle',
        '--secret',
        'pdl_ntfset_example',
      );
      // an open connection would keep the process alive
      const list = await elsewhere.spawn(['endpoints', 'list', '--account', accountId, '--json']);
      expect(list.exitCode).toBe(0);
      const { data } = JSON.parse(list.stdout);
      expect(data).toEqual([expect.objectContaining({ id, secretCount: 1 })]);
      expect(readdirSync(elsewhere.folder)).toEqual([]);
    } finally {
      await elsewhere.remove();
      await remove();
    }
  });
});
