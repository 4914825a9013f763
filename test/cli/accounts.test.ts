import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();
afterAll(() => workplace.remove());

describe('commands of a database with several accounts', () => {
  let second: { accountId: string; programId: string };
  beforeAll(async () => {
    await workplace.json('setup', '--name', 'First Ltd');
    second = await workplace.json('accounts', 'create', '--name', 'Second Ltd');
  });

  it('take the account from the environment, but an option takes precedence', async () => {
    const without = await workplace.run(['programs', 'list']);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('set REFBRIDGE_ACCOUNT')]);
    const environment = { REFBRIDGE_ACCOUNT: second.accountId };
    const { stdout } = await workplace.run(['programs', 'list', '--json'], { environment });
    expect(JSON.parse(stdout).data).toMatchObject([{ id: second.programId }]);
    const wrong = await workplace.run(['programs', 'list', '--account', 'acc_none'], { environment });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('There is no account acc_none')]);
  });

  it('are told the account to take by the command that creates it', async () => {
    const workplace = createWorkplace();
    onTestFinished(() => workplace.remove());
    await workplace.json('setup', '--name', 'First Ltd');
    const { stderr, stdout } = await workplace.run(['accounts', 'create', '--name', 'Second Ltd']);
    const [, accountId] = /export REFBRIDGE_ACCOUNT=(acc_\w+)/.exec(stderr) ?? [];
    expect(stdout).toContain(accountId);
    const environment = { REFBRIDGE_ACCOUNT: String(accountId) };
    const ana = ['partners', 'create', '--name', 'Ana', '--email', 'ana@example.com', '--json'];
    const { exitCode } = await workplace.run(ana, { environment });
    expect(exitCode).toBe(0);
  });

  it('need no account when an id already implies it', async () => {
    expect(await workplace.json('programs', 'show', second.programId)).toMatchObject({ name: 'Second Ltd' });
    const ana = ['--name', 'Ana', '--email', 'ana@example.com', '--account', second.accountId];
    const partner = await workplace.json('partners', 'create', ...ana);
    const link = await workplace.json('links', 'create', '--partner', partner.id, '--url', 'https://shop.example.com/');
    expect(link.partnerId).toBe(partner.id);
    const unknown = `sal_${'0'.repeat(32)}`;
    const missing = await workplace.run(['sales', 'show', unknown]);
    expect([missing.exitCode, missing.stderr]).toEqual([1, `No sale "${unknown}" in any account\n`]);
    // several accounts may have a person with the same address
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

  it('archive, unarchive and delete by an id alone', async () => {
    const partner = ['--name', 'Bob', '--email', 'bob@example.com', '--account', second.accountId];
    const { id: partnerId } = await workplace.json('partners', 'create', ...partner);
    const url = 'https://shop.example.com/';
    const { id: linkId } = await workplace.json('links', 'create', '--partner', partnerId, '--url', url);
    expect(await workplace.json('links', 'archive', linkId)).toMatchObject({
      id: linkId,
      archivedAt: expect.any(String),
    });
    const listed = async (...words: string[]) =>
      (await workplace.json('links', 'list', '--account', second.accountId, ...words)).data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed()).not.toContain(linkId);
    expect(await listed('--archived', 'true')).toEqual([linkId]);
    expect(await workplace.json('links', 'unarchive', linkId)).toMatchObject({ archivedAt: null });
    const refused = await workplace.run(['partners', 'delete', partnerId]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('has links, so')]);
    expect(await workplace.json('links', 'delete', linkId)).toEqual({ id: linkId, deleted: true });
    expect((await workplace.run(['partners', 'delete', partnerId])).stderr).toBe(`${partnerId} is deleted.\n`);
    const archived = await workplace.json('programs', 'archive', second.programId);
    expect(archived).toMatchObject({ name: 'Second Ltd', archivedAt: expect.any(String) });
  });

  it('delete an account only with confirmation, and the only one only by its name', async () => {
    const remove = (...words: string[]) => workplace.run(['accounts', 'delete', ...words]);
    const unsure = await remove(second.accountId);
    expect([unsure.exitCode, unsure.stderr]).toEqual([2, expect.stringContaining('Add --yes')]);
    const ofAnother = await remove(second.accountId, '--yes', '--everything', '--confirm', 'First Ltd');
    expect([ofAnother.exitCode, ofAnother.stderr]).toEqual([2, expect.stringContaining('--confirm "Second Ltd"')]);
    const done = await remove(second.accountId, '--yes');
    expect([done.exitCode, done.stderr]).toEqual([0, expect.stringContaining(`${second.accountId} is deleted`)]);
    const { data } = await workplace.json('accounts', 'list');
    expect(data).toMatchObject([{ name: 'First Ltd' }]);
    // an account no longer has to be named
    expect((await workplace.run(['programs', 'list'])).exitCode).toBe(0);
    const onlyOne = await remove(data[0].id, '--yes');
    expect([onlyOne.exitCode, onlyOne.stderr]).toEqual([2, expect.stringContaining('it is the only one')]);
  });

  it('keep an account with history unless everything is to be deleted', async () => {
    const [{ id }] = (await workplace.json('accounts', 'list')).data;
    const { id: partnerId } = await workplace.json('partners', 'create', '--name', 'Cy', '--email', 'cy@example.com');
    const raw = new BetterSqlite3(join(workplace.folder, 'data/refbridge.db'));
    raw
      .prepare(
        `INSERT INTO ledger_entries (id, account_id, partner_id, kind, amount, currency, available_at, created_at)
         VALUES ('ent_1', ?, ?, 'adjustment', 1, 'usd', 1, 1)`,
      )
      .run(id, partnerId);
    raw.close();
    const kept = await workplace.run(['accounts', 'delete', id, '--yes', '--confirm', 'First Ltd']);
    expect([kept.exitCode, kept.stderr]).toEqual([1, expect.stringContaining('has ledger entries')]);
    const gone = ['accounts', 'delete', id, '--yes', '--everything', '--confirm', 'First Ltd'];
    expect(await workplace.json(...gone)).toMatchObject({ id, deleted: true });
    expect((await workplace.json('accounts', 'list')).data).toEqual([]);
  });
});
