import { keyFromName } from '../../links/default-link.ts';
import { names, namesOfPartner, namesOfPayment, namesOfPerson } from './fact-names.ts';
import type { MovedCode, MovedCommission, MovedFact, MovedPartner, MovedPayout, MovedProgram } from './facts.ts';
import { PackedFacts } from './packed-facts.ts';
import { PartnerIds } from './partner-ids.ts';
import type { Applied } from './target.ts';

/**
 * What of an earlier commission counts: all of it, all but how it was paid, or all but its sale. Otherwise each commission
 * would need another one of its payout, and that another one of its customer, and so on.
 */
type Part = 'whole' | 'unpaid' | 'unsold';

/** By the first word of the name that leads to it. */
const PARTS: Readonly<Record<string, Part>> = {
  payment: 'unpaid',
  known: 'unpaid',
  customer: 'unpaid',
  identity: 'unpaid',
  payer: 'unpaid',
  payout: 'unsold',
  singles: 'unsold',
};

/**
 * The facts of a dry run that would have stored something, by what they are about. After those that a fact needs, it has the
 * result that it would have after all of them.
 */
export class EarlierFacts {
  readonly #facts = new PackedFacts();
  /** The places of facts, by name, in ascending order. */
  readonly #places = new Map<string, number | readonly number[]>();
  /** By the name of a payout: the sum of all of its commissions but the first. */
  readonly #others = new Map<string, MovedCommission>();
  readonly #partners = new PartnerIds();

  /**
   * The facts that a fact needs, and those that these need, in order.
   *
   * @param saleIds the sales that its payment names, maybe by ids that the facts of these sales do not state
   * @param payers who may have paid it, if it is parked here
   */
  neededBy(fact: MovedFact, saleIds: readonly string[], payers: readonly string[]): MovedFact[] {
    const parts = new Map<number, Part>();
    const waiting: { before: number; name: string }[] = [];
    const all = this.#facts.length;
    const want = (needing: MovedFact, before: number) => {
      waiting.push(...this.#namesNeededBy(needing).map((name) => ({ before, name })));
      // what became of an earlier commission in the meantime
      if (needing.kind === 'commission') waiting.push(...namesOfItself(needing).map((name) => ({ before: all, name })));
    };
    const others = fact.kind === 'payout' ? this.#others.get(names.payout(fact)) : undefined;
    const here = [...saleIds.map((id) => names.known(id)), ...payers.flatMap(personAndPayments)];
    waiting.push(...here.map((name) => ({ before: all, name })));
    for (const needing of others === undefined ? [fact] : [fact, others]) want(needing, all);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { before, name } = next;
      const wanted = PARTS[name.slice(0, name.indexOf(' '))] ?? 'whole';
      for (const place of this.#placesOf(name)) {
        const had = parts.get(place);
        if (place >= before || had === wanted || had === 'whole') continue;
        const part = had === undefined ? wanted : 'whole';
        parts.set(place, part);
        want(this.#partAt(place, part), place);
      }
    }
    const places = [...parts].sort(([one], [other]) => one - other);
    const needed = withCodesTogether(places.map(([place, part]) => this.#partAt(place, part)));
    if (others === undefined) return needed;
    const payouts = needed.filter(({ kind }) => kind === 'payout');
    return [...needed.filter(({ kind }) => kind !== 'payout'), others, ...payouts];
  }

  /**
   * Adds a fact that was accepted.
   *
   * @param payers as for `neededBy`
   */
  add(fact: MovedFact, applied: Applied, payers: readonly string[]): void {
    const { result, knownId } = applied;
    if (fact.kind === 'program') this.#addProgram(fact, result);
    else if (fact.kind === 'partner') this.#addPartner(fact, result, knownId);
    else if (result === 'unchanged') return;
    else if (fact.kind === 'commission') this.#addCommission(fact, applied, payers);
    else if (fact.kind === 'customer') this.#keepFirst(this.#facts.add(fact), namesOfPerson(fact));
    else if (fact.kind === 'link') this.#keepAll(this.#facts.add(fact), [names.link(fact.key)]);
    else if (fact.kind === 'code')
      this.#keepAll(this.#facts.add(fact), [names.code(fact.code), names.codesOf(fact.partnerId)]);
    else this.#keepLast(this.#facts.add(fact), names.listedPayout(fact));
  }

  /** Also one that changes nothing: later records name it by this id. */
  #addProgram(fact: MovedProgram, result: Applied['result']): void {
    const place = this.#facts.add(fact);
    this.#keepFirst(place, [names.program(fact.id), names.anyProgram]);
    if (result !== 'unchanged') this.#keepAll(place, [names.programNamed(fact.name)]);
    if (result === 'created') this.#keepAll(place, [names.newPrograms]);
  }

  /** Also one that changes nothing, as above. */
  #addPartner(fact: MovedPartner, result: Applied['result'], knownId?: string): void {
    const place = this.#facts.add(fact);
    this.#keepFirst(place, [names.partner(fact.id)]);
    this.#partners.add(fact, knownId);
    if (result === 'unchanged') return;
    this.#keepAll(place, namesOfPartner(fact));
    if (result === 'created') this.#addFirstLink(place, fact);
  }

  /** The first partner of each program who may get the key, because not all programs have first links. */
  #addFirstLink(place: number, { name, programId }: MovedPartner): void {
    const key = keyFromName(name);
    if (key === null) return;
    const inProgram = names.firstLinkIn(key, programId);
    if (this.#places.has(inProgram)) return;
    this.#keepAll(place, [inProgram, names.firstLink(key)]);
  }

  #addCommission(fact: MovedCommission, { isSale = false, knownId }: Applied, payers: readonly string[]): void {
    const place = this.#facts.add(fact);
    this.#keepLast(place, names.commission(fact.id, fact.status));
    if (isSale) {
      this.#keepAll(place, namesOfPayment(fact));
      this.#keepFirst(place, payers.map(names.payer));
    }
    if (knownId !== undefined) this.#keepAll(place, [names.known(knownId)]);
    if (fact.sale !== null) this.#keepFirst(place, namesOfPerson(fact.sale.customer));
    if (fact.status !== 'paid' || fact.amountMinor === 0) return;
    if (fact.payout === null) this.#keepFirst(place, [names.singles(fact.partnerId, fact.currency)]);
    else this.#addToPayout(place, fact, fact.payout.id);
  }

  /** A payout needs the first of its commissions, which creates it, and the sum of the others. */
  #addToPayout(place: number, fact: MovedCommission, id: string): void {
    const name = names.payout({ ...fact, id });
    const others = this.#others.get(name);
    if (!this.#places.has(name)) this.#places.set(name, place);
    else if (others === undefined) this.#others.set(name, { ...partOf(fact, 'unsold'), id: `others in ${name}` });
    else this.#others.set(name, { ...others, amountMinor: others.amountMinor + fact.amountMinor });
  }

  #partAt(place: number, part: Part): MovedFact {
    return partOf(this.#facts.at(place), part);
  }

  #placesOf(name: string): readonly number[] {
    const found = this.#places.get(name) ?? [];
    return typeof found === 'number' ? [found] : found;
  }

  #keepFirst(place: number, given: readonly string[]): void {
    for (const name of given) if (!this.#places.has(name)) this.#places.set(name, place);
  }

  #keepLast(place: number, name: string): void {
    this.#places.set(name, place);
  }

  #keepAll(place: number, given: readonly string[]): void {
    for (const name of given) {
      const before = this.#placesOf(name);
      this.#places.set(name, before.length === 0 ? place : [...before, place]);
    }
  }

  #namesNeededBy(fact: MovedFact): string[] {
    switch (fact.kind) {
      case 'program':
        return [
          names.anyProgram,
          ...(fact.commission === null ? [names.newPrograms] : []),
          names.program(fact.id),
          names.programNamed(fact.name),
        ];
      case 'partner':
        return [
          fact.programId === null ? names.newPrograms : names.program(fact.programId),
          names.partner(fact.id),
          ...namesOfPartner(fact),
        ];
      case 'link':
        return [names.partner(fact.partnerId), names.firstLink(fact.key), names.link(fact.key)];
      case 'code':
        return [names.partner(fact.partnerId), names.code(fact.code), ...this.#codesOf(fact)];
      case 'customer':
        return [names.partner(fact.partnerId), ...namesOfPerson(fact).flatMap(personAndPayments)];
      case 'commission':
        return [names.partner(fact.partnerId), ...this.#namesNeededByCommission(fact)];
      case 'payout':
        return [names.partner(fact.partnerId), names.payout(fact), names.listedPayout(fact), ...this.#singlesOf(fact)];
    }
  }

  #namesNeededByCommission(fact: MovedCommission): string[] {
    const { status, payout, sale } = fact;
    return [
      ...namesOfPayment(fact),
      ...(sale === null ? [] : namesOfPerson(sale.customer).flatMap(personAndPayments)),
      ...(status !== 'paid' || payout === null ? [] : [names.payout({ ...fact, id: payout.id })]),
    ];
  }

  #codesOf({ partnerId }: MovedCode): string[] {
    return this.#partners.alike(partnerId).map((id) => names.codesOf(id));
  }

  #singlesOf({ partnerId, currency }: MovedPayout): string[] {
    return this.#partners.alike(partnerId).map((id) => names.singles(id, currency));
  }
}

/** What is known of a person, and of payments that are parked here and may be theirs. */
const personAndPayments = (person: string) => [person, names.payer(person)];

function namesOfItself({ id }: MovedCommission): string[] {
  return (['open', 'paid', 'reversed'] as const).map((status) => names.commission(id, status));
}

/** A partner's codes at once: one after the other, each would rewrite those before it. */
function withCodesTogether(facts: readonly MovedFact[]): MovedFact[] {
  const codes = facts.filter((fact) => fact.kind === 'code');
  const together = [...Map.groupBy(codes, ({ partnerId }) => partnerId).values()].map(([first, ...others]) => ({
    ...(first as MovedCode),
    otherCodes: others.map(({ code }) => code),
  }));
  return [...facts.filter(({ kind }) => kind !== 'code'), ...together];
}

function partOf<Fact extends MovedFact>(fact: Fact, part: Part): Fact {
  if (fact.kind !== 'commission' || part === 'whole') return fact;
  if (part === 'unsold') return { ...fact, sale: null, payment: { ...fact.payment, invoiceId: null, references: [] } };
  return { ...fact, status: fact.status === 'paid' ? 'open' : fact.status, payout: null, paidAt: null };
}
