import { copyFileSync, cpSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace, type Workplace } from '../cli/run-cli.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { freePort } from '../helpers/free-port.ts';
import { blocksOf, commandsOf } from '../helpers/markdown.ts';
import { ROOT } from '../helpers/source-modules.ts';

const path = 'docs/moving/README.md';
const COMMANDS = blocksOf({ path, text: readFileSync(join(ROOT, path), 'utf8') }, 'sh')
  .flatMap(commandsOf)
  .map((command) => command.split(/\s+/).slice(1));
const NEW_KEY = '9'.repeat(64);

const source = createWorkplace({ BASE_URL: 'https://refer.example.com' });
let shortLink: string;

/** Stores the payout details of a partner at the source's server, as a partner does in the portal. */
async function storePayoutDetails(apiKey: string, partnerId: string): Promise<void> {
  Object.assign(source.environment, { PORT: String(await freePort()), HOST: '127.0.0.1' });
  const server = source.start('serve');
  await server.saw(/listening/);
  const url = `http://127.0.0.1:${source.environment.PORT}/api/partners/${partnerId}/payout-details`;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ rail: 'paypal', email: 'ana@example.com' });
  expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
  await server.stop();
}

beforeAll(async () => {
  const { apiKey } = await source.json('setup', '--name', 'Example Ltd');
  const partner = await source.json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
  const link = ['--partner', partner.id, '--key', 'ana', '--url', 'https://shop.example.com/'];
  shortLink = (await source.json('links', 'create', ...link)).shortLink;
  await source.json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_moved');
  await storePayoutDetails(apiKey, partner.id);
  for (const words of COMMANDS.filter(([name]) => name === 'export')) {
    const { exitCode, stdout, stderr } = await source.run(words);
    expect(exitCode, stderr).toBe(0);
    expect(stdout.trim()).toBe(join(source.folder, 'export'));
    expect(stderr).toMatch(/Exported \d+ rows of Example Ltd/);
  }
});
afterAll(() => source.remove());

describe.each(engines)('the moving guide, to %s', (engine) => {
  let target: Workplace;
  let removeDatabase = async () => {};
  beforeAll(async () => {
    const { url, remove } = await createEmptyDatabase(engine);
    removeDatabase = remove;
    target = createWorkplace({ DATABASE_URL: url, SECRET_KEY: NEW_KEY, BASE_URL: 'https://refer.example.com' });
    cpSync(join(source.folder, 'export'), join(target.folder, 'export'), { recursive: true });
    copyFileSync(join(source.folder, 'data/secret.key'), join(target.folder, 'source.key'));
  });
  afterAll(async () => {
    await target.remove();
    await removeDatabase();
  });

  it('has commands that move an account, and that succeed when they are repeated', async () => {
    expect(COMMANDS.map(([name]) => name)).toEqual(['export', 'import', 'import', 'doctor']);
    const answers = [];
    for (const words of COMMANDS.filter(([name]) => name !== 'export')) {
      const { exitCode, stderr, stdout } = await target.run(words);
      expect(exitCode, `${words.join(' ')}: ${stdout}${stderr}`).toBe(0);
      answers.push(stderr);
    }
    expect(answers[0]).toMatch(/rows of Example Ltd can be imported; nothing was stored/);
    expect(answers[1]).toContain('Sales, payouts and results agree with the ledger.');
    expect(answers.join('')).not.toContain('were left out');
    expect((await target.json('links', 'list')).data).toMatchObject([{ shortLink }]);
    expect(await target.json('doctor')).toMatchObject({ healthy: true });
    const again = await target.json(...(COMMANDS[2] ?? []));
    expect(again).toMatchObject({ imported: false, alreadyImported: true, audit: null });
  });

  it('names the endpoints and partners that lose what only the key of the source opens', async () => {
    const { url, remove } = await createEmptyDatabase(engine);
    try {
      const { exitCode, stderr } = await target.run(['import', 'refbridge', './export'], {
        environment: { DATABASE_URL: url },
      });
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/The key of the source is needed for the secrets of whe_\w+, so they were left out/);
      expect(stderr).toMatch(/needed for the payout details of ptr_\w+, so they were left out/);
      // importing the export again alone would change nothing
      expect(stderr).toMatch(/accounts delete` and import it again with --source-key-file/);
    } finally {
      await remove();
    }
  });
});

it('an export neither overwrites a folder nor needs a terminal', async () => {
  writeFileSync(join(source.folder, 'mine.txt'), 'mine');
  const { exitCode, stderr } = await source.run(['export', '.']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('is not empty');
  // not the advice to delete what is incomplete
  const onFile = await source.run(['export', 'mine.txt']);
  expect(onFile).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/mine\.txt is a file: name a new folder\n$/),
  });
  const answer = await source.json('export', 'second');
  expect(answer).toMatchObject({ format: 'refbridge-export', account: { name: 'Example Ltd' } });
  expect(readdirSync(join(source.folder, 'second'))).toContain('manifest.json');
});

it('an import is refused while a server uses the SQLite file', async () => {
  const port = String(await freePort());
  const target = createWorkplace({ PORT: port, HOST: '127.0.0.1', BASE_URL: `http://127.0.0.1:${port}` });
  try {
    const server = target.start('serve');
    await server.saw(/listening/);
    const { exitCode, stderr } = await target.run(['import', 'refbridge', join(source.folder, 'export')]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/another .*server/i);
    linkSync(join(target.folder, 'data/refbridge.db'), join(target.folder, 'linked.db'));
    const environment = { DATABASE_URL: 'file:linked.db' };
    const linked = await target.run(['import', 'refbridge', join(source.folder, 'export')], { environment });
    expect(linked.stderr).toMatch(/another .*server/i);
    expect(readdirSync(target.folder)).not.toContain('linked.db-wal');
    await server.stop();
    const ended = await target.run(['import', 'refbridge', join(source.folder, 'export')]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('agree with the ledger') });
  } finally {
    await target.remove();
  }
});
