import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey } from '../../adapters/contract/backfill.ts';
import type { ReconciliationDetail } from '../../src/client/api-types.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { unique } from '../helpers/story.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  checkoutUnpaid,
  disputeOf,
  invoicePaid,
  invoicePaymentPaid,
  paymentCaptured,
  refundOf,
  type stripeEvent,
} from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, write } from './stage.ts';

type Event = ReturnType<typeof stripeEvent>;

const asRecord = (event: Event): Event => ({ ...event, id: backfillKey(event.type, event.data.object) });

/** What was missing, without what only a booking has. */
const toldBy = ({ counts, missing }: ReconciliationDetail) => ({
  counts,
  missing: missing.map((item) => ({ ...item, deliveryId: null, saleId: null, occurredAt: null, reason: null })),
});

describe.each(engines)('a dry run says what the booking then does, on %s, about', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  async function customer(): Promise<string> {
    const externalId = unique('user');
    await stage.referrer.lead(externalId);
    return externalId;
  }

  /** Events of one payment of a customer, whose charge and payment intent these are. */
  const STORIES: Record<string, (externalId: string, pi: string) => Event[]> = {
    'a sale and its refund, told three times': (externalId, pi) => {
      const re = unique('re');
      return [
        checkoutCompleted({ externalId, amount: 5_000, paymentIntent: pi }),
        refundOf(pi, re, 1_000, 'succeeded'),
        chargeRefunded(pi, 5_000, 1_000),
        { ...refundOf(pi, re, 1_000, 'succeeded'), type: 'refund.updated' },
      ];
    },
    'a refund in two parts, of which one failed': (externalId, pi) => {
      const re = unique('re');
      return [
        checkoutCompleted({ externalId, amount: 5_000, paymentIntent: pi }),
        refundOf(pi, re, 1_000, 'succeeded'),
        refundOf(pi, unique('re'), 2_000, 'succeeded'),
        refundOf(pi, re, 1_000, 'failed'),
      ];
    },
    'a sale that is disputed': (externalId, pi) => [
      checkoutCompleted({ externalId, amount: 5_000, paymentIntent: pi }),
      disputeOf(pi, unique('dp'), 5_000),
    ],
    'a sale that was announced, its money and its refund': (externalId, pi) => [
      checkoutUnpaid({ externalId, amount: 5_000, paymentIntent: pi }),
      paymentCaptured(pi, 5_000),
      chargeRefunded(pi, 5_000, 500),
    ],
    'a refund that is listed before its sale': (externalId, pi) => [
      refundOf(pi, unique('re'), 1_000, 'succeeded'),
      checkoutCompleted({ externalId, amount: 5_000, paymentIntent: pi }),
    ],
    'an invoice, what paid it, and the refund of that': (externalId, pi) => {
      const invoice = invoicePaid({ externalId, amount: 5_000, customer: unique('cus') });
      return [
        invoice,
        invoicePaymentPaid((invoice.data.object as { id: string }).id, pi),
        refundOf(pi, unique('re'), 1_000, 'succeeded'),
      ];
    },
    'what paid an invoice, the invoice, and the refund of that': (externalId, pi) => {
      const invoice = invoicePaid({ externalId, amount: 5_000, customer: unique('cus') });
      return [
        invoicePaymentPaid((invoice.data.object as { id: string }).id, pi),
        invoice,
        refundOf(pi, unique('re'), 1_000, 'succeeded'),
      ];
    },
    'a payment of nobody, which another report attributes, and its refund': (externalId, pi) => [
      checkoutCompleted({ externalId: null, amount: 5_000, paymentIntent: pi }),
      checkoutCompleted({ externalId, amount: 5_000, paymentIntent: pi }),
      refundOf(pi, unique('re'), 1_000, 'succeeded'),
    ],
    'a payment of nobody, and its refund': (_, pi) => [
      checkoutCompleted({ externalId: null, amount: 5_000, paymentIntent: pi }),
      refundOf(pi, unique('re'), 1_000, 'succeeded'),
    ],
  };

  it.each(Object.entries(STORIES))('%s', async (_name, eventsOf) => {
    for (const asListed of [(event: Event) => event, asRecord]) {
      const events = eventsOf(await customer(), unique('pi')).map(asListed);
      write(stage.past, ...events);
      const books = await endStateOf(stage.app.service, stage.app.accountId);
      const dry = await stage.reconcile({ dryRun: true });
      expect(await endStateOf(stage.app.service, stage.app.accountId)).toEqual(books);
      const booked = await stage.reconcile();
      expect(toldBy(dry)).toEqual(toldBy(booked));
    }
  });

  it('a refund of a missing sale, with what its partner loses', async () => {
    const pi = unique('pi');
    const sold = checkoutCompleted({ externalId: await customer(), amount: 5_000, paymentIntent: pi });
    // on another page
    const others = [checkoutCompleted({}), checkoutCompleted({})];
    write(stage.past, sold, ...others, refundOf(pi, unique('re'), 1_000, 'succeeded'));
    const { counts, missing } = await stage.reconcile({ dryRun: true });
    expect(counts).toMatchObject({ read: 4, sales: 1, reversals: 1, unattributed: 2, other: 0 });
    expect(missing.find(({ outcome }) => outcome === 'reversal')).toMatchObject({
      partnerId: stage.referrer.partnerId,
      commissionAmount: -200,
      amount: 1_000,
      saleId: null,
    });
  });
});
