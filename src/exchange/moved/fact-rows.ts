import { insideUnit } from '../../app/inside-unit.ts';
import { applyFact } from './apply.ts';
import { DryRun } from './dry-run.ts';
import { marksOf } from './fact-names.ts';
import type { MovedFact } from './facts.ts';
import type { PagedRow } from './row-pages.ts';
import type { FactsTarget } from './target.ts';

/**
 * The facts of one import as rows. Customers and commissions may share units of work. There are few of the others, and
 * payouts read sums.
 */
export function factRows(target: FactsTarget, isDryRun: boolean): (fact: MovedFact) => PagedRow {
  const dryRun = isDryRun ? new DryRun(target) : null;
  return (fact) => ({
    marks: marksOf(fact),
    apply: (service) =>
      dryRun?.apply(fact) ??
      service.database.write((tx) => applyFact({ ...target, tx, service: insideUnit(service, tx) }, fact), {
        alone: true,
      }),
  });
}
