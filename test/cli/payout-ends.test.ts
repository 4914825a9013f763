import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { createWorkplace, PROGRAM } from './run-cli.ts';

const PAYOUTS = 25;
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
const { json, run } = workplace;

beforeAll(async () => {
  const server = workplace.start('serve');
  await server.saw(/listening/);
  await json('setup', '--name', 'Example Ltd');
  await json('programs', 'update', 'Example Ltd', '--hold-days', '0');
  for (let number = 1; number <= PAYOUTS; number += 1) {
    await json('partners', 'create', '--name', `Ana ${number}`, '--email', `ana${number}@example.com`);
  }
  await owe(PAYOUTS);
});
afterAll(() => workplace.remove());

/** Owes money to the first partners. */
async function owe(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const to = ['--partner', `ana${number}@example.com`];
    await json('ledger', 'adjust', ...to, '--amount', '50EUR', '--reason', 'bonus');
  }
}

const idsOf = async (status: string): Promise<string[]> =>
  (await json('payouts', 'list', '--status', status, '--all')).data.map(({ id }: { id: string }) => id);

describe('the example in the help of payouts run', () => {
  it('marks every payout of the file as paid, not only those of a first page', async () => {
    const { stdout } = await run(['payouts', 'run', '--help']);
    const lines = stdout.split('\n').filter((line) => line.startsWith('  $ '));
    expect(lines).toHaveLength(4);
    expect(lines.at(-2)).toContain('npm run -s refbridge -- payouts export');
    const script = lines.map((line) => line.slice(4).replaceAll(/npm run (-s )?refbridge --/g, 'refbridge')).join('\n');
    const options = { cwd: workplace.folder, env: { PATH: process.env.PATH, HOME: workplace.folder } };
    const shell = `set -e\nrefbridge() { '${process.execPath}' '${PROGRAM}' "$@"; }\n`;
    await promisify(execFile)('sh', ['-c', shell + script.replaceAll(/\d{4}-\d\d-\d\d/g, '2100-01-01')], options);
    expect(await idsOf('processing')).toEqual([]);
    expect(await idsOf('paid')).toHaveLength(PAYOUTS);
  });
});

describe('marking payouts', () => {
  it('goes on after one that is paid already, and says so', async () => {
    await owe(3);
    await json('payouts', 'run');
    const [first = '', ...others] = await idsOf('processing');
    await json('payouts', 'mark-paid', first);
    const marked = await run(['payouts', 'mark-paid', first, ...others, first]);
    expect([marked.exitCode, marked.stderr]).toEqual([0, `${first} is paid already.\n`]);
    expect(marked.stdout).toBe(others.map((id) => `${id}  50.00 EUR  paid\n`).join(''));
    const again = await json('payouts', 'mark-paid', first, ...others);
    expect([again.data, again.unchanged.length, again.failed]).toEqual([[], 3, []]);
  });

  it('goes on after one that cannot be marked, and exits with 1', async () => {
    await owe(3);
    await json('payouts', 'run');
    const [canceled = '', ...others] = await idsOf('processing');
    await json('payouts', 'cancel', canceled);
    const marked = await run(['payouts', 'mark-paid', canceled, ...others]);
    expect([marked.exitCode, marked.stdout.trim().split('\n').length]).toEqual([1, 2]);
    expect(marked.stderr).toBe(`Payout ${canceled} is canceled; only a payout that is processing can become paid\n`);
    expect(await idsOf('processing')).toEqual([]);
  });

  it('changes nothing when one does not exist', async () => {
    await owe(1);
    await json('payouts', 'run');
    const ids = await idsOf('processing');
    const refused = await run(['payouts', 'mark-paid', ...ids, 'pay_none']);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(await idsOf('processing')).toEqual(ids);
  });
});

describe('over HTTP', () => {
  it('a run needs one request, and prints what it started with the names of the partners', async () => {
    await json('payouts', 'run');
    await owe(3);
    const { key } = await json('keys', 'create', '--name', 'slow', '--scope', 'full', '--rate-limit', '1');
    const started = await run(['--url', url, '--api-key', key, 'payouts', 'run']);
    expect([started.exitCode, started.stderr]).toEqual([0, 'Started 3 payouts: 150.00 EUR.\n']);
    for (const number of [1, 2, 3]) expect(started.stdout).toMatch(new RegExp(` Ana ${number} +50\\.00 EUR`));
  });

  describe('marking', () => {
    const stub = createServer();
    let remote: string[];
    beforeAll(async () => {
      const address = await listenLocally(stub);
      declareStub(address);
      remote = ['--url', address, '--api-key', 'key', 'payouts', 'mark-paid'];
    });
    afterAll(() => stub.close());

    const answer = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const refuse = (response: ServerResponse, status: number, code: string, headers = {}) =>
      answer(response, status, { error: { code, message: `It says ${code}` } }, headers);
    const payout = (id: string, status: string) => ({ id, amount: 5_000, currency: 'eur', status });

    /** Answers for payouts that are processing; `onMark` may refuse to mark one. Returns the requests. */
    function serve(onMark: (id: string, response: ServerResponse) => unknown): string[] {
      const requests: string[] = [];
      stub.removeAllListeners('request');
      stub.on('request', (request, response) => {
        const [id = '', action] = request.url?.split('/').slice(3) ?? [];
        requests.push(`${request.method} ${id}`);
        request.resume();
        if (action === undefined) answer(response, 200, payout(id, 'processing'));
        else if (!onMark(id, response)) answer(response, 200, payout(id, 'paid'));
      });
      return requests;
    }

    it('marks every payout, also when the reader of its output goes away after the first line', async () => {
      const ids = ['pay_1', 'pay_2', 'pay_3', 'pay_4'];
      let refusals = 1;
      const requests = serve((id, response) => {
        if (id === 'pay_1') return false;
        // the command says that it waits, which nobody reads either
        const isRefused = id === 'pay_3' && refusals-- > 0;
        if (isRefused) return refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' });
        setTimeout(() => answer(response, 200, payout(id, 'paid')), 300);
        return true;
      });
      const { process: child } = workplace.start(...remote, ...ids);
      child.stdout?.once('data', () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
      expect((await once(child, 'close'))[0]).toBe(0);
      const sent = ['pay_1', 'pay_2', 'pay_3', 'pay_3', 'pay_4'];
      expect(requests.slice(ids.length)).toEqual(sent.map((id) => `POST ${id}`));
    });

    it('waits when the server asks to, and marks the rest', async () => {
      let refusals = 1;
      serve((id, response) => {
        if (id !== 'pay_2' || refusals === 0) return false;
        refusals -= 1;
        return refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' });
      });
      const begun = performance.now();
      const { exitCode, stdout, stderr } = await run([...remote, 'pay_1', 'pay_2', 'pay_3']);
      expect(performance.now() - begun).toBeGreaterThan(900);
      expect([exitCode, stderr]).toEqual([0, 'Waiting 1 s: It says RATE_LIMIT_EXCEEDED.\n']);
      expect(stdout).toBe([1, 2, 3].map((number) => `pay_${number}  50.00 EUR  paid\n`).join(''));
    });

    it('waits for a file as well', async () => {
      let refusals = 1;
      stub.removeAllListeners('request');
      stub.on('request', (_, response) => {
        refusals -= 1;
        if (refusals === 0) refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' });
        else response.writeHead(200, { 'content-type': 'text/csv' }).end('payout_id\r\npay_1\r\n');
      });
      const { exitCode, stdout } = await run([...remote.slice(0, -1), 'export']);
      expect([exitCode, stdout]).toEqual([0, 'payout_id\r\npay_1\r\n']);
    });

    it('prints what is done and names what is left when the server fails', async () => {
      const requests = serve((id, response) => id === 'pay_2' && refuse(response, 500, 'INTERNAL_ERROR'));
      const words = [...remote, 'pay_1', 'pay_2', 'pay_3'];
      const { exitCode, stdout, stderr } = await run(words);
      expect([exitCode, stdout]).toEqual([1, 'pay_1  50.00 EUR  paid\n']);
      expect(stderr).toBe('Not paid yet: pay_2, pay_3. Run the command again for them.\nIt says INTERNAL_ERROR\n');
      expect(requests).not.toContain('POST pay_3');
      const printed = JSON.parse((await run([...words, '--json'])).stdout);
      expect(printed.data).toEqual([payout('pay_1', 'paid')]);
    });
  });
});
