import { insideUnit } from '../../app/inside-unit.ts';
import { findNamed, type Named } from '../../payments/imports/imported-payment.ts';
import { inSteps } from '../../storage/in-steps.ts';
import { rolledBack } from '../rolled-back.ts';
import { applyFact } from './apply.ts';
import { EarlierFacts } from './earlier-facts.ts';
import { namesOfPayers } from './fact-names.ts';
import type { MovedFact } from './facts.ts';
import { storable } from './storable.ts';
import type { Applied, FactsTarget } from './target.ts';

/**
 * Applies facts and rolls each back. The earlier facts that a fact needs, such as its new partner, are applied before it in
 * the same unit of work, so that the result is as if they were stored.
 */
export class DryRun {
  readonly #target: FactsTarget;
  readonly #earlier = new EarlierFacts();

  constructor(target: FactsTarget) {
    this.#target = target;
  }

  async apply(fact: MovedFact): Promise<Applied> {
    const { service, ...target } = this.#target;
    let named: Named = { saleIds: [], hints: [] };
    const applied = await rolledBack(service.database, async (tx) => {
      const { step, endStep } = inSteps(tx);
      const apply = async (each: MovedFact) => {
        // it reads sums
        if (each.kind === 'payout') await endStep();
        return applyFact({ ...target, tx: step, service: insideUnit(service, step) }, each);
      };
      if (fact.kind === 'commission') named = await findNamed(tx, target.accountId, storable(fact).payment);
      for (const each of this.#earlier.neededBy(fact, named.saleIds, namesOfPayers(named))) await apply(each);
      return apply(fact);
    });
    this.#earlier.add(fact, applied, namesOfPayers(named));
    return applied;
  }
}
