import { ServiceError } from '../../errors.ts';
import { namesOf } from '../../payments/imports/imported-payment.ts';
import type { MovedCommission, MovedFact } from './facts.ts';
import type { Applied } from './target.ts';

/** A record as later ones of the same import see it. */
export interface SeenRecord {
  /** Identifies it, such as `commission c_1`. */
  key: string;
  /** What another record with this key may not contradict. */
  says: string;
  /** The ids of the payment of a commission. */
  payments: readonly string[];
}

/** What a dry run would have stored so far: the database does not know it. */
export class SeenRecords {
  readonly #says = new Map<string, string>();
  /** By the ids of their payments: the commissions that are sales. */
  readonly #sales = new Map<string, string>();

  /**
   * The result of a record with the earlier ones stored.
   *
   * @throws ServiceError `CONFLICT` when it contradicts an earlier one; the error of `apply`
   */
  async apply({ key, says, payments }: SeenRecord, apply: () => Promise<Applied>): Promise<Applied> {
    const earlier = this.#says.get(key);
    if (earlier === says) return { result: 'unchanged', reason: 'as an earlier one' };
    if (earlier !== undefined) {
      throw conflict(`An earlier ${key} is of another partner or amount: give each its own id if there are two`);
    }
    const other = payments.map((payment) => this.#sales.get(payment)).find((found) => found !== undefined);
    if (other !== undefined) {
      throw conflict(`Its payment is that of the earlier ${other}: if both are owed, add an adjustment`);
    }
    const applied = await apply();
    this.#says.set(key, says);
    if (applied.isSale) for (const payment of payments) this.#sales.set(payment, key);
    return applied;
  }
}

const conflict = (message: string) => new ServiceError('CONFLICT', message);

export function recordOf(fact: MovedFact): SeenRecord {
  return { key: keyOf(fact), says: saidBy(fact), payments: fact.kind === 'commission' ? paymentsOf(fact) : [] };
}

function keyOf(fact: MovedFact): string {
  switch (fact.kind) {
    case 'link':
      return `link ${fact.domain ?? ''}/${fact.key}`;
    case 'code':
      return `code ${fact.code.toLowerCase()}`;
    case 'customer':
      return `customer ${fact.externalId}`;
    case 'partner':
      return `partner ${fact.programId ?? ''} ${fact.email.toLowerCase()}`;
    case 'payout':
      return `payout ${fact.id} ${fact.currency}`;
    case 'commission':
      // the row of a sale has an id such as `sale in_1`
      return fact.isSaleRow ? fact.id : `commission ${fact.id}`;
    default:
      return `${fact.kind} ${fact.id}`;
  }
}

function saidBy(fact: MovedFact): string {
  switch (fact.kind) {
    case 'program':
    case 'partner':
      return '';
    case 'commission': {
      const { partnerId, amountMinor, currency, isSaleRow, sale } = fact;
      return JSON.stringify([partnerId, amountMinor, currency, isSaleRow ? sale?.amountMinor : null]);
    }
    case 'payout':
      return JSON.stringify([fact.partnerId, fact.amountMinor]);
    default:
      return fact.partnerId;
  }
}

/** A file of sales and a file of commissions may state the same commission. */
function paymentsOf({ payment, isSaleRow, amountMinor }: MovedCommission): string[] {
  // it takes back a part of another commission
  if (amountMinor < 0) return [];
  return namesOf(payment).map((name) => (isSaleRow ? `row ${name}` : name));
}
