import { Webhook } from 'standardwebhooks';
import type { LedgerEntry, Partner, Payout, Sale } from '../../src/client/api-types.ts';
import type { ReceivedEvent } from './event-receiver.ts';

/** A resource, and the event that showed it. */
interface Shown<Resource> {
  eventId: string;
  data: Resource;
}

interface Body {
  type: string;
  data: { id: string };
}

/**
 * What a company keeps of its referral program when it receives our events and nothing else, as `docs/events.md` says.
 * Events may come in any order, and repeatedly.
 */
export class EventMirror {
  readonly sales = new Map<string, Shown<Sale>>();
  readonly payouts = new Map<string, Shown<Payout>>();
  readonly partners = new Map<string, Shown<Partner>>();
  readonly entries = new Map<string, Shown<LedgerEntry>>();
  readonly leads = new Map<string, Shown<{ id: string }>>();
  readonly types = new Map<string, number>();
  readonly #seen = new Map<string, string>();
  readonly #secret: string | null;

  /** @param secret null to trust what is received */
  constructor(secret: string | null) {
    this.#secret = secret;
  }

  /** @throws Error for a signature that does not match, or an id that was used for another event */
  receive({ id, headers, body }: Pick<ReceivedEvent, 'id' | 'headers' | 'body'>): void {
    if (this.#secret !== null) requireSigned(this.#secret, id, headers, body);
    const known = this.#seen.get(id);
    if (known === undefined) this.#apply(id, JSON.parse(body));
    else if (known !== body) throw new Error(`Event ${id} was sent with another body`);
    this.#seen.set(id, body);
  }

  #apply(eventId: string, { type, data }: Body): void {
    this.types.set(type, (this.types.get(type) ?? 0) + 1);
    const [subject] = type.split('.');
    const shown = {
      sale: this.sales,
      payout: this.payouts,
      partner: this.partners,
      commission: this.entries,
      lead: this.leads,
    }[subject as 'sale'] as Map<string, Shown<{ id: string }>> | undefined;
    const known = shown?.get(data.id);
    if (known === undefined || known.eventId < eventId) shown?.set(data.id, { eventId, data });
  }

  /** What the partner earned with a sale, by the ledger. */
  commissionOf(saleId: string): { commission: number; reversed: number; held: number } {
    const sum = (...kinds: string[]) => {
      const entries = [...this.entries.values()].filter(
        ({ data }) => data.saleId === saleId && kinds.includes(data.kind),
      );
      return entries.reduce((total, { data }) => total + data.amount, 0);
    };
    const [reversal, hold] = [sum('reversal'), sum('dispute_hold', 'dispute_release')];
    // of zero, a sign is no news
    return { commission: sum('commission', 'adjustment'), reversed: 0 - reversal, held: 0 - hold };
  }

  /** What waits for the partner's next payout. */
  openOf(partnerId: string, currency: string): { amount: number; entryCount: number } {
    const isOf = ({ data }: Shown<LedgerEntry | Payout>) => data.partnerId === partnerId && data.currency === currency;
    const entries = [...this.entries.values()].filter(isOf);
    const paid = [...this.payouts.values()]
      .filter(isOf)
      .filter(({ data }) => ['processing', 'held', 'paid'].includes(data.status));
    return {
      amount: sumOf(entries.map(({ data }) => data.amount)) - sumOf(paid.map(({ data }) => data.amount)),
      entryCount: entries.length - sumOf(paid.map(({ data }) => data.entryCount)),
    };
  }
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The receiver's clock is not the sender's, so the time is not compared. */
function requireSigned(secret: string, id: string, headers: Record<string, string>, body: string): void {
  const signed = new Webhook(secret).sign(id, new Date(Number(headers['webhook-timestamp']) * 1000), body);
  if (!(headers['webhook-signature'] ?? '').split(' ').includes(signed)) throw new Error(`Event ${id} is not signed`);
}
