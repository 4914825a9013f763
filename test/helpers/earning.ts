import type { Answer, TestApp } from './app.ts';
import { type Referrer, unique } from './story.ts';

/** Reports a sale for the referrer over the API and returns its id. */
export async function sell(app: TestApp, referrer: Referrer, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { clickId: await referrer.click(), customerExternalId: unique('user'), amount: 10_000, ...fields };
  const answer = await app.call('POST', '/api/track/sale', { body });
  if (answer.status !== 200) throw new Error(`The sale was refused: ${answer.text}`);
  return answer.body.sale.id;
}

/** The partner's earnings in one currency; undefined without any. */
export async function earningsOf(app: TestApp, partnerId: string, currency = 'usd') {
  const { body } = await app.call('GET', `/api/partners/${partnerId}/earnings`);
  return body.data.find((line: { currency: string }) => line.currency === currency);
}

export function runPayouts(app: TestApp, body: Record<string, unknown> = {}): Promise<Answer> {
  return app.call('POST', '/api/payouts/run', { body });
}

/** The partner's payouts in a state, the newest first. */
export async function payoutsOf(app: TestApp, partnerId: string, status?: string) {
  const filter = status === undefined ? '' : `&status=${status}`;
  return (await app.call('GET', `/api/payouts?partnerId=${partnerId}${filter}`)).body.data;
}
