import type { PartnerKey } from './furnish.ts';
import type { Performance } from './performance.ts';

/** The events of one processor, and the sales that they must lead to. */
export interface DemoStory {
  /** @param now epoch milliseconds, the time of the demo */
  tell(play: Performance, now: number): Promise<void>;
  /** In order of time. Ana and Cleo earn 20 %, Ben 30 %, of what was paid without tax and shipping. */
  ends: readonly ExpectedSale[];
}

/** The expected final state of a sale; amounts in minor units. */
export interface ExpectedSale {
  invoiceId: string;
  customer: string;
  partner: PartnerKey;
  matchedBy: string;
  amount: number;
  currency: string;
  commission: number;
  reversed: number;
  held: number;
  status: string;
}

/** Nothing was refunded or disputed. */
export const KEPT = { reversed: 0, held: 0 };
