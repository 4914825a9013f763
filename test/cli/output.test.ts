import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace, PROGRAM } from './run-cli.ts';

const workplace = createWorkplace();
const { json, run } = workplace;

beforeAll(async () => {
  await json('setup', '--name', 'Example Ltd');
  await json('partners', 'create', '--name', '=HYPERLINK("x")', '--email', 'evil@example.com');
  await json('partners', 'create', '--name', 'Müller, "Ana"', '--email', 'ana@example.com', '--tenant-id', 't-7');
  for (const amount of ['-12.50EUR', '3JPY', '7.125KWD']) {
    await json('ledger', 'adjust', '--partner', 'ana@example.com', '--amount', amount, '--reason', 'why');
  }
});
afterAll(() => workplace.remove());

describe('--csv', () => {
  it('quotes what needs quotes, and defuses what a spreadsheet would evaluate', async () => {
    const { stdout } = await run(['partners', 'list', '--csv']);
    const lines = stdout.split('\r\n');
    expect(lines[0]).toBe('id,name,email,codes,commission,status,created');
    expect(lines[1]).toMatch(/^ptr_\w+,"Müller, ""Ana""",ana@example\.com,,,active,\d{4}-.*Z$/);
    expect(lines[2]).toMatch(/^ptr_\w+,"'=HYPERLINK\(""x""\)",evil@/);
    expect(lines[3]).toBe('');
  });

  it('writes amounts as decimals of their currency, also negative ones', async () => {
    const { stdout } = await run(['ledger', 'list', '--csv']);
    const amounts = stdout.match(/(?<=adjustment,)[^,]+,[A-Z]{3}(?=,)/g);
    expect(stdout.split('\r\n')[0]).toBe('id,created,partner,sale,kind,amount,currency,available,payout');
    expect(amounts).toEqual(['7.125,KWD', '3,JPY', '-12.50,EUR']);
  });

  it('leaves no listener on stdout', async () => {
    const before = process.stdout.listenerCount('error');
    await run(['ledger', 'list', '--csv']);
    expect(process.stdout.listenerCount('error')).toBe(before);
  });

  it('lists every page with --all', async () => {
    expect((await run(['ledger', 'list', '--csv', '--limit', '1'])).stdout.trim().split('\r\n')).toHaveLength(2);
    const all = await run(['ledger', 'list', '--csv', '--limit', '1', '--all']);
    expect(all.stdout.trim().split('\r\n')).toHaveLength(4);
    expect(await json('ledger', 'list', '--limit', '1', '--all')).toMatchObject({
      nextCursor: null,
      data: { length: 3 },
    });
  });
});

describe('a list as CSV', () => {
  it('says on stderr when there are more rows, and how to get them', async () => {
    const first = await run(['ledger', 'list', '--csv', '--limit', '2']);
    expect(first.stdout.trim().split('\r\n')).toHaveLength(3);
    const { nextCursor } = await json('ledger', 'list', '--limit', '2');
    expect(first.stderr).toBe(`There are more: continue with --cursor ${nextCursor}, or use --all\n`);
    const rest = await run(['ledger', 'list', '--csv', '--limit', '2', '--cursor', nextCursor]);
    expect(rest.stdout.trim().split('\r\n')).toHaveLength(2);
    const all = await run(['ledger', 'list', '--csv', '--limit', '2', '--all']);
    expect([rest.stderr, all.stderr]).toEqual(['', '']);
  });

  it.each(['partners', 'sales', 'deliveries', 'payouts'])('is --csv: %s list has no --format', async (name) => {
    const { exitCode, stdout, stderr } = await run([name, 'list', '--format', 'csv']);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining("unknown option '--format'")]);
    expect((await run([name, 'list', '--help'])).stdout).not.toContain('--format');
  });
});

describe('a name with control characters', () => {
  it('cannot control the terminal, in tables, in sentences or in a file that is shown there', async () => {
    const name = 'Eve\u001b[2J\u009b31m\u001b]0;owned\u0007\u202e';
    await json('partners', 'create', '--name', name, '--email', 'eve@example.com');
    const list = await run(['partners', 'list']);
    const { stderr } = await run([
      'ledger',
      'adjust',
      '--partner',
      'eve@example.com',
      '--amount',
      '1USD',
      '--reason',
      'x',
    ]);
    const shown = await run(['partners', 'show', 'eve@example.com', '--json']);
    const file = await run(['partners', 'list', '--csv']);
    const { isTTY } = process.stdout;
    process.stdout.isTTY = true;
    const shownFile = await run(['partners', 'list', '--csv']);
    process.stdout.isTTY = isTTY;
    expect(file.stdout).toContain(name);
    for (const text of [list.stdout, stderr, shownFile.stdout]) expect(text).toContain('Eve·[2J·31m·]0;owned··');
    for (const text of [list.stdout, stderr, shown.stdout, shownFile.stdout])
      expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(JSON.parse(shown.stdout).name).toBe(name);
    const advice = (await run(['endpoints', 'create', '--processor', 'stripe'])).stderr;
    expect(advice).not.toContain('·');
    expect(advice.trimEnd().split('\n').length).toBeGreaterThan(1);
  });
});

describe('names instead of ids', () => {
  it('identify a partner by address or own id, a program by name, a link by key', async () => {
    const { id } = await json('partners', 'show', 'ANA@example.com');
    expect((await json('partners', 'show', 't-7')).id).toBe(id);
    const link = await json('links', 'create', '--partner', 't-7', '--url', 'https://example.com/', '--key', 'ana');
    await json('links', 'create', '--partner', id, '--url', 'https://shop.example.com/', '--key', 'ana-2');
    for (const name of ['ana', 'localhost:3000/ana', link.shortLink]) {
      expect((await json('links', 'show', name)).id).toBe(link.id);
    }
    expect((await json('programs', 'show', 'example ltd')).name).toBe('Example Ltd');
    const unknown = await run(['links', 'show', 'an']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, 'No link "an" in this account\n']);
  });

  it('are refused when several match, with the ids to choose from', async () => {
    const other = await json('programs', 'create', '--name', 'Other');
    await json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com', '--program', 'Other');
    const { exitCode, stderr } = await run(['partners', 'show', 'ana@example.com']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/several.*ptr_\w+ \(.*ptr_\w+ \(/)]);
    expect(stderr).toContain(other.id);
  });
});

describe('terms', () => {
  it('are written as people write them', async () => {
    const words = ['programs', 'update', 'Example Ltd', '--commission', '12.5%', '--minimum-payout', '50EUR,60.5 USD'];
    expect(await json(...words, '--duration-months', '12')).toMatchObject({
      commission: { type: 'percentage', rateBasisPoints: 1250 },
      minimumPayout: { eur: 5000, usd: 6050 },
      durationMonths: 12,
    });
    const reset = await json('programs', 'update', 'Example Ltd', '--duration-months', 'none', '--commission', '5EUR');
    expect(reset).toMatchObject({ durationMonths: null, commission: { type: 'flat', amounts: { eur: 500 } } });
  });

  it('replace the amounts in all currencies', async () => {
    const update = (...options: string[]) => json('programs', 'update', 'Example Ltd', ...options);
    await update('--commission', '5EUR,6USD', '--minimum-payout', '50EUR,60USD');
    const { commission, minimumPayout } = await update('--commission', '7EUR', '--minimum-payout', '70USD');
    expect({ commission, minimumPayout }).toEqual({
      commission: { type: 'flat', amounts: { eur: 700 } },
      minimumPayout: { usd: 7000 },
    });
  });

  it('are lists that `none` resets', async () => {
    const words = ['programs', 'update', 'Example Ltd'];
    const set = ['--tracked-hosts', 'shop.example.com', '--via-parameters', 'ref'];
    const changed = { trackedHosts: ['shop.example.com'], viaParameters: ['ref'] };
    expect(await json(...words, ...set)).toMatchObject(changed);
    const reset = await json(...words, '--tracked-hosts', 'none', '--via-parameters', 'none');
    expect(reset).toMatchObject({ trackedHosts: [], viaParameters: ['via'] });
    await json('partners', 'update', 't-7', '--code', 'ANA10,ANA20');
    expect(await json('partners', 'update', 't-7', '--code', 'none')).toMatchObject({ discountCodes: [] });
  });

  it.each([
    [['--commission', '12.555%'], 'at most two decimals'],
    [['--commission', '100.01%'], 'at most 100%'],
    [['--commission', '5.005EUR'], 'EUR has at most 2 decimals'],
    [['--minimum-payout', '500.5jpy'], 'JPY has no decimals'],
    [['--commission', '5EUX'], 'There is no currency EUX'],
    [['--minimum-payout', '10000000000.01EUR'], 'at most 10000000000.00 EUR'],
    [['--commission', '20'], 'Write a percentage, such as 20%, or an amount'],
    [['--commission', 'a fifth'], 'Write a percentage, such as 20%, or an amount'],
    [['--commission', '20%%'], 'Write a percentage, such as 20%, or an amount'],
    [['--minimum-payout', '50'], 'with its currency'],
    [['--commission', '5EUR,6EUR'], 'one amount in EUR'],
    [['--minimum-payout=5EUR,-6USD'], 'must not be negative'],
    [['--minimum-payout', '5EUR, 6eur'], 'one amount in EUR'],
    [['--tracked-hosts', 'none,shop.example.com'], '`none` resets the whole list'],
    [['--tracked-hosts', 'none', '--tracked-hosts', 'shop.example.com'], '`none` resets the whole list'],
    [[], 'Nothing to change'],
  ])('are refused when they are ambiguous or impossible: %j', async (words, problem) => {
    const { exitCode, stderr } = await run(['programs', 'update', 'Example Ltd', ...words]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe('refbridge completion', () => {
  const scriptFor = async (shell: string): Promise<string> => {
    const path = join(workplace.folder, `completion.${shell}`);
    const { stdout, exitCode } = await run(['completion', shell]);
    expect(exitCode).toBe(0);
    writeFileSync(path, stdout);
    return path;
  };

  it.each([
    [['refbridge', 'part'], ['partners']],
    [
      ['refbridge', 'partners', 'e'],
      ['earnings', 'end-portal-access', 'embed-token'],
    ],
    [['refbridge', 'partners', 'show', 'ana@example.com', '--pro'], ['--profile']],
    [
      ['refbridge', 'completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
    [['refbridge', 'payouts', 'run', '--dry'], ['--dry-run']],
  ])('in bash completes %j', async (words, expected) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const program = `source '${await scriptFor('bash')}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
      _refbridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const stdout = execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(expected);
  });

  it('is a script that each shell understands', async () => {
    // zsh and fish are not installed everywhere; bash checks the syntax that zsh shares with it
    for (const shell of ['bash', 'zsh']) execFileSync('bash', ['-n', await scriptFor(shell)]);
    const fish = await scriptFor('fish');
    const checked = spawnSync('fish', ['--no-execute', fish], { encoding: 'utf8' });
    if (checked.error === undefined) expect(checked.stderr).toBe('');
    const { stdout } = await run(['completion', 'fish']);
    expect(stdout).toContain("-n '__refbridge_at partners' -a earnings -d");
    expect((await run(['completion', 'tcsh'])).exitCode).toBe(2);
  });
});

it.skipIf(!existsSync('/dev/full'))('what cannot be written, as to a full disk, is an error without a stack', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'partners', 'list'], {
    cwd: workplace.folder,
    env: { PATH: process.env.PATH, HOME: workplace.folder },
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output could not be written: ENOSPC.*\n$/)]);
});

it('an export that cannot be written names its folder, and one without the key the key', async () => {
  const { exitCode, stderr } = await run(['export', '/dev/null/export']);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^\/dev\/null\/export cannot be written: .*\. Name another folder\.\n$/),
  ]);
  const key = join(workplace.folder, 'data', 'secret.key');
  renameSync(key, `${key}.kept`);
  mkdirSync(key);
  const withoutKey = await run(['export', join(workplace.folder, 'export')]);
  expect(withoutKey.stderr).not.toContain('cannot be written');
  rmdirSync(key);
  renameSync(`${key}.kept`, key);
});
