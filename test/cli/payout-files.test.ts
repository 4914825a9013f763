import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shortIdOf } from '../../src/core/short-id.ts';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
const { json } = workplace;
const out = join(workplace.folder, 'payouts.csv');
const report = join(workplace.folder, 'report.csv');
let remote: string[];
let payoutId: string;

beforeAll(async () => {
  const server = workplace.start('serve');
  await server.saw(/listening/);
  const { apiKey } = await json('setup', '--name', 'Example Ltd');
  remote = ['--url', url, '--api-key', apiKey];
  const { id } = await json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
  await json('ledger', 'adjust', '--partner', id, '--amount', '50EUR', '--reason', 'bonus');
  [{ id: payoutId }] = (await json('payouts', 'run')).data;
  const set = await fetch(`${url}/api/partners/${id}/payout-details`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ rail: 'paypal', email: 'ana@example.com' }),
  });
  expect(set.status).toBe(200);
});
afterAll(() => workplace.remove());

/** Where there is no database. */
const fromAfar = (words: string[]) =>
  workplace.run([...remote, ...words], { environment: { DATABASE_URL: 'file:./none.db' } });

describe('files for banks and providers from anywhere', () => {
  let fileId: string;

  it.each([
    ['paypal', '--execution-date', '2099-12-24', '--execution-date'],
    ['paypal', '--debtor-iban', 'DE02120300000000202051', 'debtor'],
    ['wise', '--execution-date', '2099-12-24', '--execution-date'],
    ['paypal', '--source-currency', 'eur', '--source-currency'],
  ])('payouts file --rail %s refuses %s, which its files cannot honor', async (rail, option, value, named) => {
    const refused = await fromAfar(['payouts', 'file', '--rail', rail, option, value]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${named}: is not known`)]);
  });

  it('payouts file names the options that are missing, here as from afar', async () => {
    const words = ['payouts', 'file', '--rail', 'sepa'];
    for (const refused of [await fromAfar(words), await workplace.run(words)]) {
      expect(refused).toMatchObject({
        exitCode: 2,
        stderr: '--debtor-name: is required; --debtor-iban: is required\n',
      });
    }
  });

  it('payouts file writes the file that a server makes, only for the user, and names it', async () => {
    const made = await fromAfar(['payouts', 'file', '--rail', 'paypal', '--out', out]);
    expect([made.exitCode, made.stdout]).toEqual([0, '']);
    expect(made.stderr).toMatch(/^pfl_\w+: 1 payout, 50\.00 EUR\.\n$/);
    [fileId = ''] = /pfl_\w+/.exec(made.stderr) ?? [];
    expect(await readFile(out, 'utf8')).toContain(shortIdOf(payoutId));
    expect((await stat(out)).mode & 0o777).toBe(0o600);
  });

  it('payouts file-results records a report, once, and refuses it for another file', async () => {
    await writeFile(report, `id,status,reason\r\n${shortIdOf(payoutId)},paid,\r\n`);
    const unknown = await fromAfar(['payouts', 'file-results', report, '--file', 'pfl_none']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('pfl_none')]);
    expect((await json('payouts', 'show', payoutId)).status).toBe('processing');
    const recorded = await fromAfar(['payouts', 'file-results', report, '--file', fileId]);
    expect([recorded.exitCode, recorded.stdout]).toEqual([0, '1 paid, 0 failed, 0 recorded before\n']);
    const again = await fromAfar(['payouts', 'file-results', report]);
    expect([again.exitCode, again.stdout]).toEqual([0, '0 paid, 0 failed, 1 recorded before\n']);
  });

  it('payouts file-results sends a long report in parts, and none of one with a mistake', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `pay_${'0'.repeat(20)}${index},paid,`);
    await writeFile(report, [`${payoutId},paid,`, ...lines, `${payoutId},paid,`].join('\r\n'));
    const long = await fromAfar(['payouts', 'file-results', report, '--json']);
    expect(long.exitCode).toBe(1);
    expect(JSON.parse(long.stdout)).toMatchObject({ paid: 0, failed: 0, unchanged: 2, problems: { length: 2_000 } });
    await writeFile(report, [...lines, 'pay_last,sent,'].join('\r\n'));
    const wrong = await fromAfar(['payouts', 'file-results', report]);
    expect([wrong.exitCode, wrong.stdout, wrong.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('results.2000.status'),
    ]);
    const absent = await fromAfar(['payouts', 'file-results', 'none.csv']);
    expect([absent.exitCode, absent.stderr]).toEqual([2, 'There is no file none.csv.\n']);
  });

  it('payouts file makes none when it cannot write it to a new file', async () => {
    await json('ledger', 'adjust', '--partner', 'ana@example.com', '--amount', '50EUR', '--reason', 'bonus');
    await json('payouts', 'run');
    const shared = join(workplace.folder, 'shared.csv');
    await writeFile(shared, 'an earlier file', { mode: 0o644 });
    for (const path of [shared, join(workplace.folder, 'missing', 'payouts.csv')]) {
      const refused = await fromAfar(['payouts', 'file', '--rail', 'paypal', '--out', path]);
      const text = `${path} cannot be created: name a new file in a folder that exists.\n`;
      expect([refused.exitCode, refused.stderr]).toEqual([2, text]);
    }
    expect(await readFile(shared, 'utf8')).toBe('an earlier file');
  });

  it('payouts file says where the file is when its download fails', async () => {
    const target = join(workplace.folder, 'broken-off.csv');
    const proxy = await startProxyThatLosesDownloads(url);
    try {
      const words = [...remote.with(1, proxy.url), 'payouts', 'file', '--rail', 'paypal', '--out', target];
      const made = await workplace.run(words, { environment: { DATABASE_URL: 'file:./none.db' } });
      const [, id] = /^(pfl_\w+): 1 payout,/.exec(made.stderr) ?? [];
      expect([made.exitCode, made.stderr]).toEqual([1, expect.stringContaining(`GET /api/payouts/files/${id}`)]);
      await expect(stat(target)).rejects.toThrow('ENOENT');
    } finally {
      await proxy.close();
    }
  });
});

/** Passes everything on except downloads of files, whose requests find nothing. */
async function startProxyThatLosesDownloads(server: string) {
  const proxy = createServer(async (request, response) => {
    const isDownload = request.method === 'GET' && request.url?.startsWith('/api/payouts/files/');
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const body = request.method === 'GET' ? null : await text(request);
    const answer = await fetch(`${server}${isDownload ? '/api/nothing' : request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      body,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port: proxyPort } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${proxyPort}`,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
