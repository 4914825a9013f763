import { expect, it } from 'vitest';
import { createTestApp } from '../helpers/app.ts';

it('a report about payouts of several files may be as long as one about a file', async () => {
  const app = await createTestApp('sqlite');
  try {
    const results = Array.from({ length: 1_500 }, (_, n) => ({ id: `unknown payout number ${n}`, status: 'paid' }));
    const { body } = await app.call('POST', '/api/payouts/results', { body: { results } });
    expect(body.problems).toHaveLength(1_500);
  } finally {
    await app.close();
  }
});
