import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/audit/ledger.ts';
import { createTestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { fillLedger } from '../helpers/fill-ledger.ts';
import { rounds, someOf } from '../helpers/rounds.ts';

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL('children/run-payouts.ts', import.meta.url));

/** Enough for a hundred steps, and in CI for hundreds. `PAYOUT_ENTRIES=1000000` for one partner with a million entries. */
const ENTRIES = Number(process.env.PAYOUT_ENTRIES ?? Math.max(rounds(100_000), 30_000));
const SHAPES = [
  { partners: ENTRIES / 100, entriesPerPartner: 100 },
  { partners: 1, entriesPerPartner: ENTRIES },
];
const TOOK_MS_MAX = { sqlite: 0.1 * ENTRIES, postgres: 0.2 * ENTRIES };

/**
 * In how many steps of the run a write beside it waits at most. The best of several runs counts, because a write that gets
 * no processor waits, too.
 */
const STEPS_WAITED_MAX = 10;
const TRIES = 3;

describe.each(engines)(`a run over ${ENTRIES} entries on %s`, (engine) => {
  async function measure({ partners, entriesPerPartner }: (typeof SHAPES)[number]): Promise<number> {
    const app = await createTestApp(engine);
    try {
      await fillLedger(app, { partners, entriesPerPartner });
      const { stdout } = await run(process.execPath, [CHILD, app.databaseUrl, app.accountId]);
      const result = JSON.parse(stdout);
      if (process.env.PAYOUT_ENTRIES) process.stderr.write(`${engine}, ${partners}: ${stdout}`);
      const counts = { payoutCount: partners, entryCount: ENTRIES };
      const amount = (partners * entriesPerPartner * (entriesPerPartner + 1)) / 2;
      expect(result).toMatchObject({ ...counts, failed: [], totals: [{ ...counts, currency: 'usd', amount }] });
      expect(result.progressCount).toBeGreaterThan(10);
      expect(result.tookMs).toBeLessThan(TOOK_MS_MAX[engine]);
      expect(result.memoryMb).toBeLessThan(300);
      expect(result.stepsWrittenIn).toBeGreaterThan(10);
      for await (const found of checkLedger(app.service, app.accountId)) expect(found).toBeUndefined();
      return result.stepsWaited;
    } finally {
      await app.close();
    }
  }

  it.each(someOf(SHAPES))(
    'of $partners partners is fast, takes little memory, reports progress, and lets others write meanwhile',
    {
      // plus the time to fill the tables and audit them, and what others take of the machine
      timeout: 10 * TOOK_MS_MAX[engine],
    },
    async (shape) => {
      let stepsWaited = Number.POSITIVE_INFINITY;
      for (let n = 0; n < TRIES && stepsWaited >= STEPS_WAITED_MAX; n += 1) stepsWaited = await measure(shape);
      expect(stepsWaited).toBeLessThan(STEPS_WAITED_MAX);
    },
  );
});
