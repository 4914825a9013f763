import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { createWorkplace } from '../cli/run-cli.ts';
import { startOwnTime } from '../helpers/own-time.ts';

const workplace = createWorkplace();
afterAll(() => workplace.remove());

describe('refbridge demo', () => {
  it('tells its story over real HTTP, ends as it must, and leaves nothing behind', async () => {
    const ownMs = await startOwnTime();
    const { exitCode, stdout } = await workplace.run(['demo', '--once']);
    expect(stdout).toContain('All of it is as it must be.');
    expect(exitCode).toBe(0);
    expect(ownMs()).toBeLessThan(10_000);
    expect(readdirSync(workplace.folder)).toEqual([]);
  });

  it('shows sales of all five processors, each with its partner and the step that decided', async () => {
    const { ok, steps, sales, partners, problems } = await workplace.json('demo', '--once');
    expect(problems).toEqual([]);
    expect(ok).toBe(true);
    expect(new Set(sales.map((sale: { processor: string }) => sale.processor))).toEqual(new Set(PROCESSORS));
    const came = new Set(steps.map((step: { came: string }) => step.came));
    const words = ['sale', 'duplicate', 'rejected', 'noted', 'reversal', 'unattributed', '409 DUPLICATE_INVOICE'];
    expect([...came]).toEqual(expect.arrayContaining(words));
    for (const { partner, reason } of sales) {
      expect(['ana', 'ben', 'cleo']).toContain(partner);
      expect(reason).not.toBe('');
    }
    for (const { earned, reversed, held, balance } of partners) expect(balance).toBe(earned - reversed - held);
  });

  it('keeps serving until it is interrupted, with a key that works', async () => {
    const demo = workplace.start('demo');
    const [, url] = await demo.saw(/It goes on at (http:\/\/[\d.:]+)/);
    const [, apiKey] = await demo.saw(/export KEY=(rb_live_\w+)/);
    const answer = await fetch(`${url}/api/sales`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer.status).toBe(200);
    expect(await demo.stop('SIGINT')).toBe(0);
    await expect(fetch(`${url}/api/sales`)).rejects.toThrow();
  });
});
