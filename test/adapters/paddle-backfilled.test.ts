import { readPage } from '../../adapters/paddle/backfill.ts';
import { answerJson, serveApi } from './api-answers.ts';
import { describeBackfilled } from './backfilled-once.ts';
import { fixtureOf } from './fixtures.ts';
import { paddleRecord } from './paddle-records.ts';
import { readAll } from './read-all.ts';

const payment = await fixtureOf('paddle', 'transaction.completed--subscription-first');
const refund = await fixtureOf('paddle', 'adjustment.updated--refund-approved-partial');

describeBackfilled({
  processor: 'paddle',
  webhooks: [payment.rawBody, refund.rawBody],
  async read() {
    const { url } = await serveApi(({ path }, response) => {
      const data = [paddleRecord(path === '/transactions' ? payment : refund)];
      answerJson(response, { data, meta: { pagination: { has_more: false } } });
    });
    return (await readAll(readPage, url)).flatMap(({ deliveries }) => deliveries);
  },
  // 1,681 of 4,900 went back, without tax
  sale: {
    amount: 4_900,
    grossAmount: 5_831,
    commissionAmount: 980,
    refundedAmount: 2_000,
    reversedCommissionAmount: 336,
  },
});
