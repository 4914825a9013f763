import { join } from 'node:path';
import { addEntries } from '../../src/ledger/entries.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { freePort } from '../helpers/free-port.ts';
import { asId } from '../helpers/ids.ts';
import { unique } from '../helpers/story.ts';
import { STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { auditEntries } from './audit-entries.ts';
import { writePartnersCsv } from './command-names.ts';
import { newSale } from './new-sale.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
export const workplace = createWorkplace({
  PORT: String(port),
  HOST: '127.0.0.1',
  BASE_URL: url,
  EVENT_ALLOWED_HOSTS: '127.0.0.1',
});
export const { json } = workplace;

let database: Database;
let stripeApi: StripeConnect;
export let account: { accountId: string; programId: string; apiKey: string };
export let stripe: string;

export async function openScene(): Promise<void> {
  stripeApi = await startStripeConnect();
  declareStub(stripeApi.url);
  const server = workplace.start('serve');
  await server.saw(/listening/);
  account = await json('setup', '--name', 'Example Ltd');
  // a second account exists from here on
  workplace.environment.REFBRIDGE_ACCOUNT = account.accountId;
  database = await openDatabase(`file:${join(workplace.folder, 'data/refbridge.db')}`);
  stripe = (await json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_never_to_be_seen')).id;
}

export async function closeScene(): Promise<void> {
  await database.close();
  await workplace.remove();
  await stripeApi.close();
}

export const entries = (resourceId?: string) => auditEntries(database, resourceId);

export const newPartner = async (): Promise<string> =>
  (
    await json(
      ...['partners', 'create', '--program', account.programId],
      ...['--name', 'Ana', '--email', `${unique('ana')}@example.com`],
    )
  ).id;

export async function importPartner(): Promise<string> {
  const file = writePartnersCsv(workplace.folder, `${unique('ana')}@example.com`);
  await json('import', 'csv', file, '--kind', 'partners');
  return (await json('partners', 'list')).data[0].id;
}

/** An endpoint that was reconciled. That failed without a request, for want of the shop's domain. */
export async function newReconciled(): Promise<string> {
  const { id } = await json('endpoints', 'create', '--processor', 'shopify', '--access-token', 'shpat_example');
  const { stderr } = await workplace.run(['reconcile', id, '--since', '2026-01-01']);
  if (!stderr.includes('Set the shopDomain')) throw new Error(stderr);
  return id;
}

export async function newFlaggedSale(): Promise<string> {
  await json('programs', 'update', account.programId, '--self-referral', 'flag');
  const { invoice } = await newSale({ json, url, apiKey: account.apiKey });
  return (await json('sales', 'show', invoice)).id;
}

export async function newDelivery(): Promise<{ deliveryId: string; paymentId: string }> {
  const words = ['trigger', 'stripe', 'checkout.session.completed', '--variant', 'payment', '--endpoint', stripe];
  const id = unique('x');
  const overrides = [`id=evt_${id}`, `data.object.id=cs_${id}`, `data.object.payment_intent=pi_${id}`];
  const free = [`data.object.client_reference_id=${id}`, `data.object.customer=cus_${id}`];
  const options = [...overrides, ...free].flatMap((override) => ['--override', override]);
  const { exitCode, stderr } = await workplace.run([...words, ...options]);
  if (exitCode !== 0) throw new Error(stderr);
  const [delivery] = (await json('deliveries', 'list')).data;
  const [parked] = (await json('parked', 'list')).data;
  return { deliveryId: delivery.id, paymentId: parked.id };
}

/** Creates a debt to a partner. */
export async function owe(): Promise<void> {
  const partnerId = asId<'ptr'>(await newPartner());
  const { accountId, programId } = account;
  const owner = { accountId: asId<'acc'>(accountId), programId: asId<'prg'>(programId), partnerId };
  const terms = { saleId: null, currency: 'usd', availableAt: 1, isUndecided: false };
  const gift = { kind: 'adjustment', amountMinor: 5_000, reason: null } as const;
  await database.write((tx) => addEntries(tx, { ...owner, ...terms }, [gift], 1));
}

export async function newPayout(): Promise<string> {
  await owe();
  return (await json('payouts', 'run')).data[0].id;
}

export const newLink = async (): Promise<string> =>
  (await json('links', 'create', '--partner', await newPartner(), '--url', 'https://shop.example.com/')).id;

export const newHook = async (): Promise<string> =>
  (await json('events', 'endpoints', 'create', '--url', `https://hooks.example.com/${unique('in')}`)).id;

/** A PayPal file with one payout. */
export async function newFile(): Promise<{ fileId: string; payoutId: string }> {
  await owe();
  await json('payouts', 'run');
  const { data } = await json('payouts', 'list', '--status', 'processing');
  const [{ id: payoutId }] = data;
  for (const { partnerId } of data) await setDetails(partnerId, { rail: 'paypal', email: 'ana@example.com' });
  return { fileId: (await json('payouts', 'file', '--rail', 'paypal', '--currency', 'usd')).id, payoutId };
}

async function setDetails(partnerId: string, details: object): Promise<void> {
  const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
  const request = { method: 'PUT', headers, body: JSON.stringify(details) };
  const set = await fetch(`${url}/api/partners/${partnerId}/payout-details`, request);
  if (!set.ok) throw new Error(await set.text());
}

/** Connects Stripe, with a key that the log must not contain; the id of the connection. */
export async function connectStripe(): Promise<string> {
  const words = ['rails', 'connect', 'stripe', '--secret-key-stdin', '--api-url', stripeApi.url];
  const { exitCode, stderr } = await workplace.spawn(words, { input: STRIPE_KEY });
  if (exitCode !== 0) throw new Error(stderr);
  const sql = 'SELECT c.id FROM rail_connections c WHERE c.account_id = @accountId';
  const found = await database.read((tx) => tx.get<{ id: string }>(sql, { accountId: account.accountId }));
  return found?.id ?? '';
}

/** A payout that Stripe can pay. */
export async function newSendable(): Promise<string> {
  await connectStripe();
  const id = await newPayout();
  const { partnerId } = await json('payouts', 'show', id);
  await setDetails(partnerId, { rail: 'stripe', account: stripeApi.platform.addAccount().id });
  return id;
}
