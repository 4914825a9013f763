import { expect } from 'vitest';
import type { Service } from '../../../src/app/service.ts';
import { measure } from '../../../src/overview/measure.ts';
import { createTestService } from '../../helpers/service.ts';
import type { Cast } from './cast.ts';
import { type Rows, resultsOf } from './rows.ts';

/** A process that counts for its metrics from now on. */
export async function startCounting({ app, clock }: Cast): Promise<Service> {
  const { database } = app.service;
  const service = createTestService({ database, clock: () => clock.now });
  await measure(service);
  return service;
}

/** The counters of the metrics, if nothing else has happened. They never fall when a sale turns out not to count. */
export async function checkCounters(service: Service, rows: Rows): Promise<void> {
  const measured = await measure(service);
  expect(measured?.measuredAt).toBe(rows.now);
  const { clicks = 0, leads = 0, sales = [] } = measured?.results ?? {};
  const expected = resultsOf(rows, {});
  expect([clicks, leads]).toEqual([expected.clicks, expected.leads]);
  const count = sales.reduce((sum, ofCurrency) => sum + ofCurrency.count, 0);
  if (rows.sales.some(({ note }) => note !== null)) return expect(count).toBeGreaterThanOrEqual(expected.sales);
  expect(count).toBe(expected.sales);
  const counted = sales.filter((ofCurrency) => ofCurrency.count > 0);
  expect(Object.fromEntries(counted.map(({ currency, amount }) => [currency, amount]))).toEqual(expected.revenue);
}
