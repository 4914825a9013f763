import { insideUnit } from '../../app/inside-unit.ts';
import { rolledBack } from '../rolled-back.ts';
import { applyFact } from './apply.ts';
import type { MovedCommission, MovedFact, MovedPartner, MovedPayout, MovedProgram } from './facts.ts';
import { compareWithCommissions, paidHere } from './payouts.ts';
import { recordOf, SeenRecords } from './seen-records.ts';
import type { Applied, FactsTarget } from './target.ts';

/**
 * Applies facts and rolls each back. What a fact needs, such as its new partner, is applied before it in the same unit
 * of work, so that the result is as if that were stored.
 */
export class DryRun {
  readonly #target: FactsTarget;
  readonly #programs: MovedProgram[] = [];
  readonly #partners = new Map<string, MovedPartner>();
  readonly #seen = new SeenRecords();
  /** The sums of the commissions that would be added to each payout. */
  readonly #paid = new Map<string, number>();
  /** By partner and currency, a paid commission that would be alone in its payout. */
  readonly #single = new Map<string, MovedCommission>();

  constructor(target: FactsTarget) {
    this.#target = target;
  }

  async apply(fact: MovedFact): Promise<Applied> {
    const applied = await this.#seen.apply(recordOf(fact), () => this.#applyNew(fact));
    // also one with the address of an earlier one: later records name either id
    if (fact.kind === 'partner') this.#partners.set(fact.id, fact);
    return applied;
  }

  async #applyNew(fact: MovedFact): Promise<Applied> {
    const { service, ...target } = this.#target;
    const paid = fact.kind === 'payout' ? this.#paid.get(`${fact.id} ${fact.currency}`) : undefined;
    if (fact.kind === 'payout' && paid !== undefined) {
      const before = await service.database.read((tx) =>
        paidHere({ ...target, tx, service: insideUnit(service, tx) }, fact),
      );
      return compareWithCommissions(fact, before + paid, { title: target.source.title });
    }
    const applied = await rolledBack(service.database, async (tx) => {
      const into = { ...target, tx, service: insideUnit(service, tx) };
      for (const needed of this.#neededBy(fact)) await applyFact(into, needed);
      return applyFact(into, fact);
    });
    // one that changes becomes paid
    if (isPaid(fact) && applied.result !== 'unchanged') this.#notePaid(fact);
    if (fact.kind === 'program') this.#programs.push(fact);
    return applied;
  }

  #notePaid(commission: MovedCommission): void {
    const { payout, currency, amountMinor } = commission;
    if (payout === null) {
      this.#single.set(ownerOf(commission), commission);
      return;
    }
    const key = `${payout.id} ${currency}`;
    this.#paid.set(key, (this.#paid.get(key) ?? 0) + amountMinor);
  }

  #neededBy(fact: MovedFact): MovedFact[] {
    const partner = 'partnerId' in fact ? this.#partners.get(fact.partnerId) : undefined;
    const single = fact.kind === 'payout' ? this.#single.get(ownerOf(fact)) : undefined;
    return [...this.#programs, ...(partner === undefined ? [] : [partner]), ...(single === undefined ? [] : [single])];
  }
}

const ownerOf = ({ partnerId, currency }: MovedCommission | MovedPayout) => `${partnerId} ${currency}`;

/** True for a commission that is in a payout. */
function isPaid(fact: MovedFact): fact is MovedCommission {
  return fact.kind === 'commission' && fact.status === 'paid' && fact.amountMinor !== 0;
}
