import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { createProgram } from '../../src/cli/program.ts';
import { createEmptyDatabase } from '../helpers/databases.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();
afterAll(() => workplace.remove());

describe('the command line', () => {
  it('explains first steps, the environment and the exit codes in its help', async () => {
    const { exitCode, stdout, stderr } = await workplace.spawn(['--help']);
    expect(exitCode).toBe(0);
    const commands = 'serve setup demo doctor backup accounts keys programs partners links endpoints sales deliveries';
    for (const command of `${commands} parked ledger payouts replay trigger`.split(' ')) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect(stdout).toContain('DATABASE_URL');
    expect(stdout).toContain('Exit codes: 0 done');
    expect(stderr).toBe('');
  });

  it.each(COMMANDS)(
    'loads $names when one of these names is called, and nothing else',
    async ({ names: [name = '', ...others] }) => {
      const { commands } = await createProgram(name);
      expect(commands.map((command) => command.name())).toEqual([name, ...others]);
    },
  );

  it('says of every option what to give, never `null`, which no option takes', async () => {
    const commandsBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsBelow)];
    const options = commandsBelow(await createProgram()).flatMap((command) =>
      command.options
        .filter(({ hidden }) => !hidden)
        .map(({ flags, description }) => `${command.name()} ${flags}: ${description}`),
    );
    expect(options.length).toBeGreaterThan(300);
    expect(options.filter((option) => option.endsWith(': ') || /\bnull\b/.test(option))).toEqual([]);
    expect(options).toContain(
      'statistics --interval <interval>: day, week, month; weeks begin on Monday. At most 400 intervals (default: day)',
    );
    expect(options).toContainEqual(
      expect.stringMatching(/^list --status <status>: waiting, delivered, failed; the status/),
    );
  });

  it.each([
    [['srve'], /Did you mean serve\?/],
    [['keys', 'creat'], /Did you mean create\?/],
    [['endpoints', 'list', '--jsn'], /Did you mean --json\?/],
  ])('suggests the closest command for %j', async (words, suggestion) => {
    const { exitCode, stdout, stderr } = await workplace.run(words);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(suggestion);
    expect(stdout).toBe('');
  });

  it.each([
    [['accounts', 'create'], /required option '--name <name>' not specified/],
    [['payouts', 'totals'], /required option '--year <year>' not specified/],
    [['endpoints', 'create', '--processor', 'strip'], /Allowed choices are stripe, shopify, polar, paddle, revenuecat/],
    [['replay'], /missing required argument 'paths'/],
    [['replay', 'x.json', '--repeat', '0'], /whole number of at least 1/],
    [['replay', 'x.json', '--expect', 'sold'], /one of failed, sale, reversal/],
    [['replay', 'x.json', '--override', 'amount'], /must be path=value/],
    [['replay', 'x.json', '--timestamp', 'yesterday'], /unix seconds, or relative like -10m/],
    [['replay', '--shuffle', 'x.json'], /Put files before --shuffle/],
    [['replay', 'x.json', '--forward-to', 'localhost:3000'], /http or https URL/],
    [['listen', '--forward-to', 'localhost:4000'], /http or https URL/],
    [['import', 'dub', '--api-url', 'api.dub.co'], /http or https URL/],
    [['import', 'csv', '.', '--kind', 'partners'], / is a folder: name a file/],
    [['import', 'csv', 'none.csv', '--kind', 'partners'], /There is no file .*none\.csv/],
    [['import', 'csv', 'x.csv', '--kind', 'links', '--map', 'key'], /such as "Referral slug=key"/],
    [['payouts', 'file-results', '.'], / is a folder: name a file/],
    [['explain', '.', '--processor', 'stripe'], / is a folder: name a file/],
    [['explain', 'none.json', '--processor', 'stripe'], /There is no file none\.json/],
    [['replay', 'x.json'], /--endpoint <id\|processor> of this database, or --processor/],
    [['trigger', 'strip', 'invoice.paid'], /Available: stripe, shopify/],
    [['trigger', 'stripe', 'invoice.paid', '--variant', 'frist', '--endpoint', 'x'], /invoice.paid --variant first/],
    [['demo', '--port', '70000'], /1 to 65535/],
  ])('exits with 2 for %j and says what would be right', async (words, problem) => {
    const { exitCode, stderr } = await workplace.run(words);
    expect(stderr).toMatch(problem);
    expect(exitCode).toBe(2);
  });

  it('exits with 4 without a database, instead of creating an empty one in the wrong folder', async () => {
    const { exitCode, stderr } = await workplace.spawn(['sales', 'list']);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(join(workplace.folder, 'data', 'refbridge.db'));
    expect(stderr).toContain('npm run refbridge -- setup');
  });

  it('exits with 4 for an invalid configuration, and names every problem', async () => {
    const environment = { PORT: 'eighty', BASE_URL: 'refer.example.com', LOG_LEVEL: 'loud' };
    const { exitCode, stderr } = await workplace.spawn(['serve'], { environment });
    expect(exitCode).toBe(4);
    for (const name of ['PORT', 'BASE_URL', 'LOG_LEVEL']) expect(stderr).toContain(name);
  });

  it('says in one line that a PostgreSQL is away whose address asks for encryption', async () => {
    const address = 'postgres://somebody@127.0.0.1:9/nowhere?sslmode=require';
    const environment = { DATABASE_URL: address, DATABASE_READ_URL: address, SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.spawn(['sales', 'list'], { environment });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^PostgreSQL cannot be reached: .*\n$/);
  });

  it('exits with 3 when PostgreSQL does not answer', async () => {
    const environment = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x', SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.spawn(['sales', 'list'], { environment });
    expect(stderr).toContain('connect ECONNREFUSED 127.0.0.1:1');
    expect(stderr).not.toContain('report it');
    expect(exitCode).toBe(3);
  });

  it.each([
    ['password', 'password authentication failed'],
    ['pathname', 'database "wrong" does not exist'],
  ] as const)('exits with 4 and the reason when PostgreSQL refuses the %s', async (part, reason) => {
    const url = new URL(inject('postgresUrl'));
    url[part] = 'wrong';
    const environment = { DATABASE_URL: url.href, SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.run(['sales', 'list'], { environment });
    expect(stderr).toContain(`DATABASE_URL is refused by PostgreSQL: ${reason}`);
    expect(exitCode).toBe(4);
  });

  it('exits with 4, and says who must own the database, when PostgreSQL gives its user too few rights', async () => {
    const { url, remove } = await createEmptyDatabase('postgres');
    await executeOnServer(url, "CREATE ROLE stranger LOGIN PASSWORD 'stranger'");
    const theirs = Object.assign(new URL(url), { username: 'stranger', password: 'stranger' });
    const environment = { DATABASE_URL: theirs.href, SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.run(['setup'], { environment });
    await executeOnServer(url, 'DROP ROLE stranger');
    await remove();
    expect(stderr).toMatch(/permission denied for schema public; its user must own the database/);
    expect(exitCode).toBe(4);
  });

  it('exits with 4, and says what to create, when the search path names no schema', async () => {
    const { url, remove } = await createEmptyDatabase('postgres');
    const environment = { DATABASE_URL: `${url}?options=-c%20search_path%3Dreferrals`, SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.run(['setup'], { environment });
    await remove();
    expect(stderr).toMatch(
      /no schema has been selected to create in; its search_path, .*must name a schema that exists/,
    );
    expect(exitCode).toBe(4);
  });

  it('exits with 3, without a stack, when it is told to stop before PostgreSQL has answered', async () => {
    const silent = createServer();
    const { host } = new URL(await listenLocally(silent));
    let pid = 0;
    silent.once('connection', async (socket) => {
      process.kill(pid, 'SIGTERM');
      await sleep(100);
      socket.destroy();
    });
    const environment = { DATABASE_URL: `postgres://nobody@${host}/x`, SECRET_KEY: '0'.repeat(64) };
    const onStart = (started: number) => {
      pid = started;
    };
    const { exitCode, stderr } = await workplace.spawn(['serve'], { environment, onStart });
    silent.close();
    expect(stderr).toMatch(/^PostgreSQL cannot be reached: .*\n$/);
    expect(exitCode).toBe(3);
  });

  it('exits with 4 for a .env that cannot be read', async () => {
    const other = createWorkplace();
    mkdirSync(join(other.folder, '.env'));
    const { exitCode, stderr } = await other.spawn(['serve']);
    await other.remove();
    expect(stderr).toMatch(/^The configuration is invalid:\n {2}\.env must be a file that this user may read \(EISDIR/);
    expect(exitCode).toBe(4);
  });

  it('reads .env from the working folder, also with a byte order mark', async () => {
    mkdirSync(join(workplace.folder, 'elsewhere'));
    writeFileSync(join(workplace.folder, '.env'), '\uFEFFDATABASE_URL=file:./elsewhere/shop.db\n');
    const { stderr } = await workplace.spawn(['sales', 'list']);
    expect(stderr).toContain(join('elsewhere', 'shop.db'));
  });
});
