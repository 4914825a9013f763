import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { answerWith, createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';
import { freePort } from '../helpers/free-port.ts';
import { unique } from '../helpers/story.ts';
import { STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { newSale as makeSale } from './new-sale.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
export const url = `http://127.0.0.1:${port}`;
export const workplace = createWorkplace({
  PORT: String(port),
  HOST: '127.0.0.1',
  BASE_URL: url,
  EVENT_ALLOWED_HOSTS: '127.0.0.1',
});
export const { json } = workplace;
export const file = join(workplace.folder, 'body.json');

let receiver: EventReceiver;
let stripeApi: StripeConnect;
export let apiKey: string;
let stripe: string;
/** What the commands requested from the server: `GET /api/partners`. */
export const called = new Set<string>();

/** Starts the server and the event receiver, and creates the account. */
export async function openScene(): Promise<void> {
  receiver = await createEventReceiver();
  stripeApi = await startStripeConnect();
  declareStub(stripeApi.url);
  receiver.answer = (request, response) => {
    // so that events sent there have no outcome yet while a command prints them
    if (!request.url?.endsWith('/held')) answerWith(204)(request, response);
  };
  const server = workplace.start('serve');
  await server.saw(/listening/);
  ({ apiKey } = await json('setup', '--name', 'Example Ltd'));
  stripe = (await json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_x')).id;
  await json('programs', 'update', 'Example Ltd', '--self-referral', 'flag', '--hold-days', '0');
  await connectStripe();
  writeFileSync(file, JSON.stringify({ id: 'evt_1', type: 'customer.created', data: { object: {} } }));
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    const { origin, pathname } = new URL(input);
    // an earlier file may have left something running that still calls its own server
    if (origin === new URL(url).origin) called.add(`${init?.method ?? 'GET'} ${pathname}`);
    return fetch(input, init);
  });
}

export async function closeScene(): Promise<void> {
  vi.unstubAllGlobals();
  await workplace.remove();
  await receiver.close();
  await stripeApi.close();
}

export const newEmail = () => `${unique('ana')}@example.com`;

export async function newPartner(): Promise<string> {
  const email = newEmail();
  await json('partners', 'create', '--name', 'Ana', '--email', email);
  return email;
}

export async function newLink(): Promise<{ key: string; shortLink: string }> {
  const words = ['--partner', await newPartner(), '--url', 'https://shop.example.com/', '--key', unique('key')];
  return json('links', 'create', ...words);
}

export async function newProgram(): Promise<string> {
  return (await json('programs', 'create', '--name', unique('program'))).name;
}

export const newHookUrl = () => `${receiver.url}/${unique('in')}`;

/** A new endpoint, identified by its URL. It receives only what a test sends. */
export async function newHook(url = newHookUrl()): Promise<string> {
  return (await json('events', 'endpoints', 'create', '--url', url, '--types', 'delivery.failed')).url;
}

/** A test event that has arrived, so that its state no longer changes. */
export async function newEvent(): Promise<{ id: string; hook: string }> {
  const hook = await newHook();
  const { id } = await json('events', 'endpoints', 'test', hook);
  const statusOf = async () => (await json('events', 'show', id)).deliveries[0].status;
  await expect.poll(statusOf, { timeout: 30_000 }).toBe('delivered');
  return { id, hook };
}

/** A sale that waits for a review. */
export const newSale = () => makeSale({ json, url, apiKey });

export async function newDelivery(): Promise<{ deliveryId: string; paymentId: string }> {
  const id = unique('x');
  const object = { id: `cs_${id}`, payment_intent: `pi_${id}`, client_reference_id: id, customer: `cus_${id}` };
  const overrides = [`id=evt_${id}`, ...Object.entries(object).map(([name, value]) => `data.object.${name}=${value}`)];
  const words = ['trigger', 'stripe', 'checkout.session.completed', '--variant', 'payment', '--endpoint', stripe];
  const { exitCode, stderr } = await workplace.run([...words, ...overrides.flatMap((text) => ['--override', text])]);
  expect(exitCode, stderr).toBe(0);
  const deliveryId = (await json('deliveries', 'list', '--limit', '1')).data[0].id;
  return { deliveryId, paymentId: (await json('parked', 'list', '--limit', '1')).data[0].id };
}

/** A partner who is owed money, and nobody else. */
export async function owe(currency = 'EUR'): Promise<string> {
  await json('payouts', 'run');
  const email = await newPartner();
  await json('ledger', 'adjust', '--partner', email, '--amount', `50${currency}`, '--reason', 'bonus');
  return email;
}

export async function newPayout(): Promise<string> {
  await owe();
  return (await json('payouts', 'run')).data[0].id;
}

/** A payout that can be in a PayPal file, with nobody else's in its currency. */
export async function newPayable(): Promise<{ payoutId: string; currency: string }> {
  const currency = 'GBP';
  await owe(currency);
  const [{ id: payoutId, partnerId }] = (await json('payouts', 'run')).data;
  await put(`/api/partners/${partnerId}/payout-details`, { rail: 'paypal', email: 'ana@example.com' });
  return { payoutId, currency };
}

/** What has no command, because it does not belong in the history of a shell. */
async function put(path: string, value: object): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const set = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(value) });
  if (!set.ok) throw new Error(await set.text());
}

export const connectStripe = () =>
  put('/api/rails/stripe/connection', { secretKey: STRIPE_KEY, apiUrl: stripeApi.url });

/** A partner whom Stripe would pay. */
export async function newOnboarded(): Promise<string> {
  const email = await newPartner();
  const { id } = await json('partners', 'show', email);
  await put(`/api/partners/${id}/payout-details`, { rail: 'stripe', account: stripeApi.platform.addAccount().id });
  return email;
}
