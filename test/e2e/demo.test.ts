import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { createWorkplace } from '../cli/run-cli.ts';
import { startOwnTime } from '../helpers/own-time.ts';

const workplace = createWorkplace();
afterAll(() => workplace.remove());

describe('refbridge demo', () => {
  it('runs its story over real HTTP, ends as expected, and leaves nothing behind', async () => {
    const ownMs = await startOwnTime();
    const { exitCode, stdout } = await workplace.spawn(['demo', '--once']);
    expect(stdout).toContain('Everything is as expected.');
    expect(exitCode).toBe(0);
    expect(ownMs()).toBeLessThan(10_000);
    expect(readdirSync(workplace.folder)).toEqual([]);
  });

  it('shows sales of every processor, each with its partner and the step that decided', async () => {
    const { exitCode, stdout } = await workplace.spawn(['demo', '--once', '--json']);
    expect(exitCode).toBe(0);
    const { ok, steps, sales, partners, problems } = JSON.parse(stdout);
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

  it('keeps serving until it is interrupted, with a working key', async () => {
    const demo = workplace.start('demo');
    const [, url] = await demo.saw(/keeps running at (http:\/\/[\d.:]+)/);
    const [, apiKey] = await demo.saw(/export KEY=(rb_live_\w+)/);
    const answer = await fetch(`${url}/api/sales`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer.status).toBe(200);
    expect(await demo.stop('SIGINT')).toBe(0);
    await expect(fetch(`${url}/api/sales`)).rejects.toThrow();
  });
});
