import { setTimeout as pause } from 'node:timers/promises';
import { createService, type Service } from '../../src/app/service.ts';
import type { Database } from '../../src/storage/database.ts';
import { holding } from './holding.ts';

/** Long enough for requests that wait for nobody to end. */
const HELD_MS = 500;

/**
 * Holds units of `work` after a statement until `others` are done, or have waited for the unit.
 *
 * @throws Error when no unit ran such a statement
 */
export async function whileHeld<Work, Others>(
  service: Service,
  held: RegExp,
  work: (service: Service) => Promise<Work>,
  others: () => Promise<Others>,
): Promise<[Work, Others]> {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = { held, when: 'after', reached: reached.resolve, release: release.promise } as const;
  const { write, ...database } = holding(service.database, hold);
  // as whatever the audit log records: a unit that waits would leave its batch, and run again
  const alone: Database['write'] = (unit) => write(unit, { alone: true });
  const working = work(createService({ ...service, database: { ...database, write: alone } }));
  const isHeld = await Promise.race([reached.promise.then(() => true), working.then(() => false)]);
  if (!isHeld) throw new Error(`No unit ran a statement like ${held}`);
  const going = others();
  await Promise.race([going, pause(HELD_MS)]);
  release.resolve();
  return Promise.all([working, going]);
}
