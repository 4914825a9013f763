import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();
afterAll(() => workplace.remove());

describe('commands of a database with several accounts', () => {
  let second: { accountId: string; programId: string };
  beforeAll(async () => {
    await workplace.json('setup', '--name', 'First Ltd');
    second = await workplace.json('accounts', 'create', '--name', 'Second Ltd');
  });

  it('take the account from the environment; an option goes before it', async () => {
    const without = await workplace.run(['programs', 'list']);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('set REFBRIDGE_ACCOUNT')]);
    const environment = { REFBRIDGE_ACCOUNT: second.accountId };
    const { stdout } = await workplace.run(['programs', 'list', '--json'], { environment });
    expect(JSON.parse(stdout).data).toMatchObject([{ id: second.programId }]);
    const wrong = await workplace.run(['programs', 'list', '--account', 'acc_none'], { environment });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('There is no account acc_none')]);
  });

  it('need none where an id already says it', async () => {
    expect(await workplace.json('programs', 'show', second.programId)).toMatchObject({ name: 'Second Ltd' });
    const ana = ['--name', 'Ana', '--email', 'ana@example.com', '--account', second.accountId];
    const partner = await workplace.json('partners', 'create', ...ana);
    const link = await workplace.json('links', 'create', '--partner', partner.id, '--url', 'https://shop.example.com/');
    expect(link.partnerId).toBe(partner.id);
    const missing = await workplace.run(['sales', 'show', 'sal_none']);
    expect([missing.exitCode, missing.stderr]).toEqual([1, 'No sale "sal_none" in any account\n']);
    // an address may be known to several accounts
    const byEmail = await workplace.run([
      'links',
      'create',
      '--partner',
      'ana@example.com',
      '--url',
      'https://a.example/',
    ]);
    expect(byEmail.exitCode).toBe(2);
  });
});
