import { EXIT } from '../../src/cli/terminal/exit-codes.ts';
import { freePort } from '../helpers/free-port.ts';
import { unique } from '../helpers/story.ts';
import { STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { createWorkplace, type Ended, type Running } from './run-cli.ts';

type Workplace = ReturnType<typeof createWorkplace>;

const ATTEMPTS_MAX = 10;

// test files that share a worker share this module: each opens a scene of its own
export let workplace: Workplace;
let url: string;

/**
 * Runs a command, again if the database did not let it do anything: beside a server, it waits two seconds for its turn to
 * write, which a busy machine may need for one commit of the server.
 */
export async function run(words: readonly string[], attempt = 1): Promise<Ended> {
  const ended = await workplace.run(words);
  const isRefused = ended.exitCode === EXIT.unreachable && ended.stdout === '';
  return isRefused && attempt < ATTEMPTS_MAX ? run(words, attempt + 1) : ended;
}

export const json: Workplace['json'] = async (...words) => {
  const { exitCode, stdout, stderr } = await run([...words, '--json']);
  if (exitCode !== EXIT.done) throw new Error(`refbridge ${words.join(' ')} ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
};

export let stripe: StripeConnect;
export let server: Running;
/** What makes a command use the server. */
export let remote: string[];
let apiKey: string;

/** A server that Stripe is connected with, in test mode. */
export async function openScene(): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  workplace = createWorkplace({
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: url,
    EVENT_ALLOWED_HOSTS: '127.0.0.1',
  });
  stripe = await startStripeConnect();
  declareStub(stripe.url);
  server = workplace.start('serve');
  await server.saw(/listening/);
  ({ apiKey } = await json('setup', '--name', 'Example Ltd'));
  remote = ['--url', url, '--api-key', apiKey];
  const words = ['rails', 'connect', 'stripe', '--secret-key-stdin', '--api-url', stripe.url];
  const { exitCode, stderr } = await workplace.spawn(words, { input: `${STRIPE_KEY}\n` });
  if (exitCode !== 0) throw new Error(stderr);
}

export async function closeScene(): Promise<void> {
  await workplace.remove();
  await stripe.close();
}

async function put(path: string, value: object): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const set = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(value) });
  if (!set.ok) throw new Error(await set.text());
}

/** A partner who is owed 50.00 EUR; in which way they are paid. */
export async function owe(details: object | null): Promise<string> {
  const { id } = await json('partners', 'create', '--name', 'Ana', '--email', `${unique('ana')}@example.com`);
  if (details !== null) await put(`/api/partners/${id}/payout-details`, details);
  await json('ledger', 'adjust', '--partner', id, '--amount', '50EUR', '--reason', 'bonus');
  return id;
}

export const byStripe = () => ({ rail: 'stripe', account: stripe.platform.addAccount().id });

/** Starts payouts of new partners, and of nobody else; their ids. */
export async function newPayouts(...ways: (object | null)[]): Promise<string[]> {
  await json('payouts', 'run');
  const ids: string[] = [];
  for (const way of ways) {
    await owe(way);
    ids.push((await json('payouts', 'run')).data[0].id);
  }
  return ids;
}

export const groupOf = (payoutId: string) => `payout_${payoutId}`;

export const statusOf = async (id: string): Promise<string> => (await json('payouts', 'show', id)).status;
