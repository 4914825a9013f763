import type { Interpretation, PaymentDisputed } from '../../src/core/facts.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { about, quoted, type StripeEvent } from './event.ts';
import { moneyOf } from './money.ts';
import { type Dispute, disputeSchema } from './payload.ts';

/**
 * Every dispute status and its effect on the money. `warning_*` are inquiries, which withdraw no money. A `prevented`
 * dispute was settled before it opened. The refund that settled it has its own event, so the dispute holds nothing.
 */
const STATE_OF_STATUS: ReadonlyMap<string, PaymentDisputed['state'] | 'inquiry'> = new Map([
  ['warning_needs_response', 'inquiry'],
  ['warning_under_review', 'inquiry'],
  ['warning_closed', 'inquiry'],
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['appeal_needs_response', 'open'],
  ['appeal_under_review', 'open'],
  ['won', 'won'],
  ['prevented', 'won'],
  // used for new disputes until 2018: the merchant refunded the charge instead, which has its own event
  ['charge_refunded', 'won'],
  ['lost', 'lost'],
]);

/** `charge.dispute.created` and `charge.dispute.closed`: the status decides. */
export const disputeByStatus = disputeInterpreter((state, dispute, event) =>
  state === 'inquiry' ? noted(dispute) : disputed(dispute, state, event),
);

/** `charge.dispute.updated`: evidence, deadlines and reviews; money movements have their own events. */
export const disputeUpdated = disputeInterpreter((_state, dispute) => noted(dispute));

/** `charge.dispute.funds_withdrawn`: the money is gone until the dispute is won, so any status but `lost` is open. */
export const disputeWithdrawn = disputeInterpreter((state, dispute, event) =>
  disputed(dispute, state === 'lost' ? 'lost' : 'open', event),
);

/**
 * `charge.dispute.funds_reinstated`: the money is back. A lost dispute stays lost: if the payment was refunded in part before,
 * only that part comes back.
 *
 * Source: https://support.stripe.com/questions/dispute-for-full-charge-amount-after-a-partial-refund-was-issued
 */
export const disputeReinstated = disputeInterpreter((state, dispute, event) =>
  disputed(dispute, state === 'lost' ? 'lost' : 'won', event),
);

type State = PaymentDisputed['state'] | 'inquiry';

function disputeInterpreter(interpretDispute: (state: State, dispute: Dispute, event: StripeEvent) => Interpretation) {
  return about(disputeSchema, (dispute, event) => {
    const state = STATE_OF_STATUS.get(dispute.status);
    if (state !== undefined) return interpretDispute(state, dispute, event);
    return unknown(`${event.type}: the dispute status ${quoted(dispute.status)} is not known`);
  });
}

function disputed(dispute: Dispute, state: PaymentDisputed['state'], event: StripeEvent): Interpretation {
  const references = distinct([dispute.payment_intent, dispute.charge]);
  if (references.length === 0) return unknown(`${event.type}: dispute ${quoted(dispute.id)} names no charge`);
  const money = moneyOf(dispute.amount, dispute.currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  const { amountMinor, unit } = money;
  return facts([
    {
      kind: 'payment.disputed',
      references,
      disputeId: dispute.id,
      amountMinor,
      currency: unit.currency,
      state,
      occurredAt: event.occurredAt,
    },
  ]);
}

function noted(dispute: Dispute): Interpretation {
  return facts([{ kind: 'noted', what: `Dispute ${dispute.id} is ${dispute.status}` }]);
}
