import { readPage } from '../../adapters/polar/backfill.ts';
import { answerJson, serveApi } from './api-answers.ts';
import { describeBackfilled } from './backfilled-once.ts';
import { fixtureOf } from './fixtures.ts';
import { polarRecord } from './polar-records.ts';
import { readAll } from './read-all.ts';

const payment = await fixtureOf('polar', 'order.paid--subscription-first');
const refund = await fixtureOf('polar', 'refund.updated--succeeded');
/** Reports the same refund as a total of the order. */
const refundedOrder = await fixtureOf('polar', 'order.refunded--partial');

describeBackfilled({
  processor: 'polar',
  webhooks: [payment.rawBody, refundedOrder.rawBody, refund.rawBody],
  async read() {
    const { url } = await serveApi(({ path }, response) => {
      const items = [polarRecord(path === '/v1/orders/' ? payment : refund)];
      answerJson(response, { items, pagination: { total_count: 1, max_page: 1 } });
    });
    return (await readAll(readPage, url)).flatMap(({ deliveries }) => deliveries);
  },
  // 1,000 of 2,900 went back, without tax
  sale: {
    amount: 2_900,
    grossAmount: 3_509,
    commissionAmount: 580,
    refundedAmount: 1_210,
    reversedCommissionAmount: 200,
  },
});
