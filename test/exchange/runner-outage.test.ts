import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startImportRunner } from '../../src/exchange/jobs/runner.ts';
import { createTestDatabase } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';

it('an unreachable database is logged once per outage, as is its return', async () => {
  const lines: string[] = [];
  const into = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)).msg);
      done();
    },
  });
  const { database, remove } = await createTestDatabase('sqlite');
  let [isDown, tries] = [true, 0];
  const read: typeof database.read = async (unit) => {
    tries += 1;
    if (isDown) throw new Error('The database cannot be reached');
    return database.read(unit);
  };
  const service = createTestService({ database: { ...database, read }, log: pino({ level: 'info' }, into) });
  const runner = startImportRunner(service, { pollMs: 10 });
  const outage = async () => {
    const before = tries;
    while (tries < before + 5) await sleep(5);
  };
  try {
    await outage();
    expect(lines).toEqual(['imports: none can start now']);
    isDown = false;
    await expect.poll(() => lines).toEqual(['imports: none can start now', 'imports: can start again']);
    isDown = true;
    await outage();
    expect(lines).toHaveLength(3);
  } finally {
    await runner.stop();
    await remove();
  }
});
