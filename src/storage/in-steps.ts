import type { Transaction } from './database.ts';
import { type LastItem, runLast } from './write-transaction.ts';

/**
 * A unit of work in steps. Those after `endStep` read what the `last` work of those before it writes, as units would after
 * its commit. The unit must run alone; the work of its final step is not done.
 */
export function inSteps(tx: Transaction): { step: Transaction; endStep(): Promise<void> } {
  let items: LastItem[] = [];
  const step: Transaction = {
    get: (sql, parameters) => tx.get(sql, parameters),
    all: (sql, parameters) => tx.all(sql, parameters),
    run: (sql, parameters) => tx.run(sql, parameters),
    claim: (keys) => tx.claim(keys),
    lookAhead: (start) => tx.lookAhead(start),
    unawaited: (write) => tx.unawaited(write),
    settled: () => tx.settled(),
    last: (key, work, added) => items.push({ key, work: work as LastItem['work'], added }),
  };
  const endStep = async () => {
    const ended = items;
    items = [];
    await runLast(tx, ended);
  };
  return { step, endStep };
}
