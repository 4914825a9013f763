import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey } from '../../adapters/contract/backfill.ts';
import { engines } from '../helpers/databases.ts';
import { rounds } from '../helpers/rounds.ts';
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

/** The same session, whatever it says. */
const ofSession = (session: string, event: Event): Event => ({
  ...event,
  data: { object: { ...event.data.object, id: session } },
});

/** The same, as a record of the API. */
const asRecord = (event: Event): Event => ({ ...event, id: backfillKey(event.type, event.data.object) });

/** Ids that the events of one history have in common. */
interface Ids {
  externalId: string;
  pi: string;
  session: string;
  invoice: string;
  refund: string;
}

const newIds = (externalId: string): Ids => ({
  externalId,
  pi: unique('pi'),
  session: unique('cs'),
  invoice: unique('in'),
  refund: unique('re'),
});

type Reports = Record<string, (ids: Ids) => Event>;

const REVERSALS: Reports = {
  'a refund': ({ pi, refund }) => refundOf(pi, refund, 1_000, 'succeeded'),
  'the refund again': ({ pi, refund }) => ({ ...refundOf(pi, refund, 1_000, 'succeeded'), type: 'refund.updated' }),
  'another refund': ({ pi }) => refundOf(pi, unique('re'), 500, 'succeeded'),
  'the failure of the refund': ({ pi, refund }) => refundOf(pi, refund, 1_000, 'failed'),
  'the refund as a total': ({ pi }) => chargeRefunded(pi, 5_000, 1_000),
  'a dispute': ({ pi }) => disputeOf(pi, unique('dp'), 5_000),
};

const SESSION: Reports = {
  'a session': ({ externalId, pi, session }) =>
    ofSession(session, checkoutCompleted({ externalId, paymentIntent: pi })),
};

const INVOICE: Reports = {
  'an invoice': ({ externalId, invoice }) => invoicePaid({ externalId, invoice, amount: 5_000, subscription: 'sub_x' }),
  'what paid the invoice': ({ invoice, pi }) => invoicePaymentPaid(invoice, pi),
};

/** What Stripe may report about one payment. */
const HISTORIES: Record<string, Reports> = {
  'that may be paid later': {
    ...REVERSALS,
    ...SESSION,
    'a session that is not paid yet': ({ externalId, pi, session }) =>
      ofSession(session, checkoutUnpaid({ externalId, paymentIntent: pi })),
    'its money': ({ pi }) => paymentCaptured(pi),
  },
  'that has an invoice': { ...REVERSALS, ...SESSION, ...INVOICE },
  'whose customer some reports do not name': {
    ...REVERSALS,
    ...SESSION,
    ...INVOICE,
    'a session of nobody': ({ pi, session }) => ofSession(session, checkoutCompleted({ paymentIntent: pi })),
    'an invoice of nobody': ({ invoice }) => invoicePaid({ invoice, amount: 5_000 }),
  },
};

interface Told {
  name: string;
  /** `arrived`: by webhook, and listed too. */
  by: 'event' | 'record' | 'arrived';
}

/** Whatever is missing of a payment, in any order. */
describe.each(engines)('a dry run, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  async function requireSameCounts(reports: Reports, told: readonly Told[], pageSize: number): Promise<void> {
    const externalId = unique('user');
    await stage.referrer.lead(externalId);
    const ids = newIds(externalId);
    const events = told.map(({ name, by }) => {
      const event = (reports[name] as Reports[string])(ids);
      return by === 'record' ? asRecord(event) : event;
    });
    for (const [nth, event] of events.entries()) if (told[nth]?.by === 'arrived') await stage.endpoint.deliver(event);
    write(stage.past, ...events);
    stage.past.pageSize = pageSize;
    const dry = await stage.reconcile({ dryRun: true });
    expect(dry.counts).toEqual((await stage.reconcile()).counts);
  }

  it('knows from what arrived that reports without an id in common are of one payment', async () => {
    const told: Told[] = [
      { name: 'what paid the invoice', by: 'arrived' },
      { name: 'an invoice', by: 'event' },
      { name: 'a refund', by: 'event' },
    ];
    await requireSameCounts({ ...INVOICE, ...REVERSALS }, told, 1);
  });

  const by = fc.constantFrom<Told['by'][]>('event', 'record', 'arrived');
  const toldOf = (reports: Reports) =>
    fc
      .shuffledSubarray(Object.keys(reports), { minLength: 2 })
      .chain((names) => fc.tuple(...names.map((name) => fc.record({ name: fc.constant(name), by }))));

  it.each(Object.entries(HISTORIES))('counts what the booking then counts of a payment %s', async (_name, reports) => {
    const same = fc.asyncProperty(toldOf(reports), fc.integer({ min: 1, max: 4 }), (told, pageSize) =>
      requireSameCounts(reports, told, pageSize),
    );
    await fc.assert(same, { numRuns: engine === 'sqlite' ? rounds(50) : rounds(20) });
  });
});
