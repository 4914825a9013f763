import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters } from '../../../adapters/index.ts';
import { PROCESSORS, type Processor } from '../../../src/core/processor.ts';
import { loadFixtures } from '../../adapters/fixtures.ts';
import { freePort } from '../../helpers/free-port.ts';
import { createWorkplace } from '../run-cli.ts';

const port = await freePort();
const workplace = createWorkplace({
  PORT: String(port),
  HOST: '127.0.0.1',
  BASE_URL: `http://127.0.0.1:${port}`,
});
const endpoints = new Map<Processor, string>();

beforeAll(async () => {
  const server = workplace.start('serve');
  await server.saw(/listening/);
  await workplace.json('setup');
  for (const processor of PROCESSORS) {
    const words = ['endpoints', 'create', '--processor', processor, '--secret', `whsec_of_${processor}`];
    endpoints.set(processor, (await workplace.json(...words)).id);
  }
});
afterAll(() => workplace.remove());

/** The payloads of a processor, and where to send them. */
function replayOf(processor: Processor, path = ''): string[] {
  const files = resolve(import.meta.dirname, '../../../fixtures', processor, path);
  return ['replay', files, '--endpoint', endpoints.get(processor) ?? ''];
}

async function paymentOf(processor: Processor): Promise<string> {
  const payment = (await loadFixtures(processor)).find(
    ({ interpretation }) => interpretation.kind === 'facts' && interpretation.facts[0]?.kind === 'payment.received',
  );
  return `${payment?.name}.json`;
}

const loaded = await Promise.all(PROCESSORS.map((processor) => adapters[processor]()));

describe.each(loaded)('refbridge replay of $processor', ({ processor, signsTime }) => {
  it('delivers a whole folder, and nothing counts the second time', async () => {
    const count = (await loadFixtures(processor)).length;
    const anyButFailed = ['--expect', 'unattributed,noted,ignored,unknown,duplicate'];
    const first = await workplace.run([...replayOf(processor), ...anyButFailed, '--json', '--quiet']);
    expect(first.exitCode).toBe(0);
    expect(JSON.parse(first.stdout).summary).toMatchObject({ deliveries: count, unexpected: 0 });
    const again = ['--repeat', '2', '--concurrency', '8', '--shuffle=7', '--expect', `duplicate=${2 * count}`];
    const second = await workplace.run([...replayOf(processor), ...again, '--quiet']);
    expect(second.stdout).toContain('0 unexpected');
    expect(second.exitCode).toBe(0);
  });

  it('is refused when a byte was changed after signing', async () => {
    const words = [...replayOf(processor, await paymentOf(processor)), '--tamper', '--expect', 'rejected'];
    expect(await workplace.run(words)).toMatchObject({ exitCode: 0 });
  });

  const lateOutcome = signsTime ? 'rejected' : 'duplicate';
  it(`of an hour ago is ${lateOutcome}`, async () => {
    const words = [...replayOf(processor, await paymentOf(processor)), '--timestamp', '-1h', '--expect', lateOutcome];
    expect(await workplace.run(words)).toMatchObject({ exitCode: 0 });
  });
});

describe('refbridge replay without a database', () => {
  it('signs for RevenueCat with only the authorization value', async () => {
    const words = ['endpoints', 'create', '--processor', 'revenuecat', '--authorization', 'a long text of chance'];
    const { url } = await workplace.json(...words);
    const files = resolve(import.meta.dirname, '../../../fixtures/revenuecat', 'TEST.json');
    const to = ['--processor', 'revenuecat', '--forward-to', url];
    const environment = { DATABASE_URL: 'file:./nowhere/x.db', REFBRIDGE_AUTHORIZATION: 'a long text of chance' };
    const accepted = await workplace.run(['replay', files, ...to, '--expect', 'ignored'], { environment });
    expect(accepted.exitCode).toBe(0);
    const refused = await workplace.run(['replay', files, ...to, '--authorization', 'guessed', '--expect', 'rejected']);
    expect(refused.exitCode).toBe(0);
  });
});
