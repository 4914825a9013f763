import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { sell } from '../../helpers/earning.ts';
import { createScene, type Scene } from './scene.ts';

const FIRST = 'in_1TdAurora3MaraFirst';
const RENEWAL = 'in_1TozAurora3MaraRenew';

/** Overrides for a merchant who does not pass metadata on. */
const WITHOUT_METADATA = [
  'data.object.parent.subscription_details.metadata={}',
  'data.object.lines.data.0.metadata={}',
];

describe.each(engines)('the story of Mara, who subscribes through Stripe, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'stripe');
  });
  afterAll(() => scene.app.close());

  it('starts with her sign-up; the session reports her ids at Stripe', async () => {
    await scene.referrer.lead('user_1042');
    expect(await scene.deliver('checkout.session.completed--subscription')).toBe(
      'noted: who paid is known before the payment; identity learned; ' +
        'Session cs_live_a1Aurora3MaraProSession starts a subscription: its money is counted by invoice.paid',
    );
    expect(await scene.books()).toEqual({});
  });

  it('counts her first invoice once, although several events report it', async () => {
    expect(await scene.deliver('invoice.paid--first')).toBe('sale');
    expect(await scene.deliver('invoice.paid--first')).toBe('duplicate: seen before');
    expect(await scene.deliver('payment_intent.succeeded')).toMatch(/^ignored: .* is not counted by itself/);
    expect(await scene.books()).toEqual({ [FIRST]: '4410 usd earns 882' });
  });

  it('counts the renewal, which only names the customer of Stripe, once although two events report it', async () => {
    expect(await scene.deliver('invoice.paid--renewal', ...WITHOUT_METADATA)).toBe('sale');
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${RENEWAL}`);
    expect(body.data[0].attribution.matchedBy).toBe('processor_customer');
    expect(await scene.deliver('invoice.payment_succeeded--renewal')).toBe(
      'duplicate: this payment is already sale sal_…',
    );
    expect(await scene.books()).toEqual({ [FIRST]: '4410 usd earns 882', [RENEWAL]: '4900 usd earns 980' });
  });

  it('reverses a part when its refund arrives before the payment is known by that reference', async () => {
    expect(await scene.deliver('refund.created')).toBe('noted: a refund that waits for its payment');
    expect(await scene.deliver('invoice_payment.paid--renewal')).toMatch(/^noted: joined /);
    // 20.00 of 61.25
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '4900 usd earns 980, 320 reversed' });
  });

  it("counts the same refund once, by its id and in the charge's total", async () => {
    expect(await scene.deliver('charge.refunded--partial')).toBe('duplicate: already known');
    expect(await scene.deliver('refund.updated')).toBe('duplicate: already known');
    expect(await scene.deliver('charge.refund.updated')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '4900 usd earns 980, 320 reversed' });
  });

  it("reverses everything by the charge's total, and restores a failed refund", async () => {
    expect(await scene.deliver('charge.refunded--full')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '4900 usd earns 980, 980 reversed, refunded' });
    expect(await scene.deliver('refund.failed')).toBe('reversal');
    // 41.25 of 61.25 was refunded
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '4900 usd earns 980, 660 reversed' });
    expect(await scene.deliver('refund.updated--canceled')).toBe('duplicate: already known');
  });

  it('holds a disputed amount, and releases it when the dispute is won', async () => {
    expect(await scene.deliver('charge.dispute.created--inquiry')).toMatch(
      /^noted: Dispute .* warning_needs_response$/,
    );
    expect(await scene.deliver('charge.dispute.created')).toBe('noted: a dispute that waits for its payment');
    expect(await scene.deliver('invoice_payment.paid')).toMatch(/^noted: joined /);
    expect(await scene.books()).toMatchObject({ [FIRST]: '4410 usd earns 882, 882 held, disputed' });
    expect(await scene.deliver('charge.dispute.funds_withdrawn')).toBe('duplicate: already known');
    expect(await scene.deliver('charge.dispute.updated')).toMatch(/^noted: Dispute .* under_review$/);
    expect(await scene.deliver('charge.dispute.closed--won')).toBe('reversal');
    expect(await scene.deliver('charge.dispute.funds_reinstated')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [FIRST]: '4410 usd earns 882' });
  });

  it('reverses the commission when a dispute is lost', async () => {
    const another = 'data.object.id=du_1TdAurora3MaraSecond';
    expect(await scene.deliver('charge.dispute.created', 'id=evt_1chargedisputesecond', another)).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '4410 usd earns 882, 882 held, disputed' });
    expect(await scene.deliver('charge.dispute.closed--lost', another)).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '4410 usd earns 882, 882 reversed, refunded' });
  });

  it('notes that she cancels', async () => {
    expect(await scene.deliver('customer.subscription.updated--cancel_at_period_end')).toMatch(/^noted: .* will end$/);
    expect(await scene.deliver('customer.subscription.deleted')).toMatch(/^noted: .* ended$/);
  });

  it('parks the payment of an unknown customer until she signs up', async () => {
    expect(await scene.deliver('checkout.session.completed--unpaid')).toMatch(/^noted: .* not paid yet/);
    expect(await scene.deliver('checkout.session.async_payment_succeeded')).toBe(
      'unattributed: no partner found by external_id user_4410, processor_customer cus_Ux7LeaSommer, ' +
        'email lea.sommer@example.com; parked until its customer signs up',
    );
    await scene.referrer.lead('user_4410');
    expect(await scene.books()).toEqual({
      [FIRST]: '4410 usd earns 882, 882 reversed, refunded',
      [RENEWAL]: '4900 usd earns 980, 660 reversed',
      pi_3TdAuroraLeaSepa: '15000 eur earns 3000',
    });
  });

  it('counts no trial, no free session and no test event, and keeps undocumented events', async () => {
    const before = await scene.books();
    expect(await scene.deliver('invoice.paid--trial')).toMatch(/^noted: .*; Nothing was paid on invoice/);
    expect(await scene.deliver('checkout.session.completed--no_payment_required')).toMatch(/^noted: .* no payment$/);
    expect(await scene.deliver('checkout.session.completed--test')).toMatch(
      /^ignored: A test event \(livemode false\)/,
    );
    expect(await scene.deliver('v1.checkout.session.completed--thin')).toMatch(/^ignored: A thin event .* "snapshot"/);
    expect(await scene.deliver('gift_card.created')).toBe('unknown: The event type "gift_card.created" is not known');
    expect(await scene.books()).toEqual(before);
  });
});

const INVOICE = 'in_1TdAuroraOtisInvoice';

describe.each(engines)('one payment that several kinds of Stripe events report, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'stripe', { countPaymentIntents: true });
    for (const customer of ['noor', 'otis-hale', 'user_1042']) await scene.referrer.lead(customer);
  });
  afterAll(() => scene.app.close());

  /** The payment intent of `pi_<name>` and its charge. */
  const deliverIntent = (name: string) =>
    scene.deliver(
      'payment_intent.succeeded--counted',
      `id=evt_1paymentintent${name}`,
      `data.object.id=pi_${name}`,
      `data.object.latest_charge=ch_${name}`,
    );
  const ALREADY_A_SALE = 'duplicate: this payment is already sale sal_…';

  it('is one sale for session and payment intent, in either order', async () => {
    expect(await deliverIntent('3TdAuroraOtisLamp')).toBe('sale');
    expect(await scene.deliver('checkout.session.completed--payment')).toBe(ALREADY_A_SALE);
    expect(await scene.deliver('checkout.session.completed--tax_inclusive')).toBe('sale');
    expect(await deliverIntent('3TdAuroraOtisShade')).toBe(ALREADY_A_SALE);
    expect(await scene.books()).toEqual({
      pi_3TdAuroraOtisLamp: '7000 eur earns 1400',
      pi_3TdAuroraOtisShade: '2000 gbp earns 400',
    });
  });

  it("is one sale for session, payment intent, invoice and the invoice's second event", async () => {
    expect(await scene.deliver('checkout.session.completed--invoice')).toBe('sale');
    expect(await deliverIntent('3TdAuroraOtisInvoice')).toBe(ALREADY_A_SALE);
    const paid = [`data.object.id=${INVOICE}`, 'data.object.payments=null'];
    expect(await scene.deliver('invoice.paid--manual_shipping', ...paid)).toBe(ALREADY_A_SALE);
    const twin = ['id=evt_1invoicetwin', 'type=invoice.payment_succeeded', ...paid];
    expect(await scene.deliver('invoice.paid--manual_shipping', ...twin)).toBe(ALREADY_A_SALE);
    expect(await scene.books()).toMatchObject({ [INVOICE]: '4900 gbp earns 980' });
  });

  it('is one sale for an invoice and the payment intent that names it as its order', async () => {
    const intent = [
      'id=evt_1paymentintentrenewal',
      'data.object.id=pi_3TozAurora3MaraRenew',
      'data.object.latest_charge=null',
      'data.object.customer=cus_Ux3MaraLindqvist',
      'data.object.metadata={}',
      `data.object.payment_details={"order_reference":"${RENEWAL}"}`,
    ];
    expect(await scene.deliver('payment_intent.succeeded--counted', ...intent)).toMatch(/^noted: joined /);
    expect(await scene.deliver('invoice.paid--renewal')).toBe('sale');
    expect(await scene.deliver('refund.created')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '4900 usd earns 980, 320 reversed' });
  });

  it('earns once when a counted payment intent turns out to have paid an invoice', async () => {
    expect(await deliverIntent('3TdAurora3MaraFirst')).toBe('sale');
    expect(await scene.deliver('invoice.paid--first')).toBe('sale');
    expect(await scene.deliver('invoice_payment.paid')).toMatch(/^noted: joined /);
    expect(await scene.books()).toMatchObject({
      pi_3TdAurora3MaraFirst: '7000 eur earns 1400',
      [FIRST]: '4410 usd earns 882, 882 reversed, refunded',
    });
  });
});

describe.each(engines)('a Checkout session of a guest that is captured later, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'stripe');
    await scene.referrer.lead('user_6077');
  });
  afterAll(() => scene.app.close());

  const HELD = 'pi_3TdAuroraJunoHold';

  it('is a sale of what was captured, attributed by the metadata of the payment intent', async () => {
    expect(await scene.deliver('checkout.session.completed--manual_capture')).toMatch(/^noted: announced; /);
    expect(await scene.books()).toEqual({});
    expect(await scene.deliver('payment_intent.succeeded--manual_capture')).toMatch(/^sale/);
    // 75.00 of 125.00 were captured, and with them 60.00 of 100.00 net
    expect(await scene.books()).toEqual({ [HELD]: '6000 eur earns 1200' });
  });

  it('is refunded by what exceeds the rest of the authorized amount, which was released', async () => {
    expect(await scene.deliver('charge.refunded--partial_capture')).toMatch(/^noted: .*the 5000 released is no refund/);
    expect(await scene.books()).toEqual({ [HELD]: '6000 eur earns 1200' });
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${HELD}`);
    expect((await scene.app.call('GET', `/api/sales/${body.data[0].id}`)).body.refunds).toEqual([]);
    const further = ['id=evt_further', 'data.object.amount_refunded=6500'];
    expect(await scene.deliver('charge.refunded--partial_capture', ...further)).toBe('reversal');
    expect(await scene.books()).toEqual({ [HELD]: '6000 eur earns 1200, 240 reversed' });
  });

  it('is refunded in full when nothing was captured, if your backend reported it as sold', async () => {
    const invoiceId = 'pi_3TdAuroraJunoReleased';
    await sell(scene.app, scene.referrer, { invoiceId, currency: 'eur' });
    expect(await scene.books()).toMatchObject({ [invoiceId]: '10000 eur earns 2000' });
    const released = [
      'id=evt_released',
      'data.object.id=ch_3TdAuroraJunoReleased',
      `data.object.payment_intent=${invoiceId}`,
      'data.object.amount_captured=0',
      'data.object.amount_refunded=12500',
    ];
    expect(await scene.deliver('charge.refunded--partial_capture', ...released)).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [invoiceId]: '10000 eur earns 2000, 2000 reversed, refunded' });
  });
});
