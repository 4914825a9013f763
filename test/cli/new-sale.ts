import { unique } from '../helpers/story.ts';
import type { Workplace } from './run-cli.ts';
import { visit } from './visit.ts';

/** A server, with a key for the account in the workplace's database. */
export interface Place {
  json: Workplace['json'];
  url: string;
  apiKey: string;
}

/** A sale of 100.00 EUR whose customer has the partner's address, so that a program with self-referral checks flags it. */
export async function newSale({ json, url, apiKey }: Place): Promise<{ invoice: string; customer: string }> {
  const [email, customer, invoice] = [`${unique('ana')}@example.com`, unique('user'), unique('inv')];
  const program = (await json('programs', 'list')).data.at(-1).id;
  await json('partners', 'create', '--name', 'Ana', '--email', email, '--program', program);
  const { shortLink } = await json('links', 'create', '--partner', email, '--url', 'https://shop.example.com/');
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  const who = { clickId: await visit(shortLink), customerExternalId: customer, customerEmail: email };
  await post('/api/track/lead', { ...who, eventName: 'Sign up' });
  await post('/api/track/sale', { ...who, amount: 10_000, currency: 'eur', invoiceId: invoice });
  return { invoice, customer };
}
