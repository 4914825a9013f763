import { answerList, csvAnswer, withCsv } from '../app/csv-list.ts';
import { route } from '../app/route.ts';
import { TOTALS_FILE } from './csv.ts';
import { payoutStatementQuery, payoutTotalListSchema, payoutTotalsQuery } from './schemas.ts';
import { answerStatement } from './statement.ts';
import { listPayoutTotals } from './totals.ts';

const TAG = 'Payouts';

/** Statements about payouts, for partners and tax offices. */
export const payoutStatementRoutes = [
  route({
    operationId: 'listPayoutTotals',
    method: 'GET',
    path: '/api/payouts/totals',
    credential: 'api-key',
    tag: TAG,
    summary: 'List what partners were paid in a year',
    description:
      'For the tax return: by partner and currency, from payouts marked as paid in that year, in UTC. A page has ' +
      'the totals of `limit` partners, and may be empty even if another page follows.',
    query: withCsv(payoutTotalsQuery),
    answer: payoutTotalListSchema,
    otherAnswers: [csvAnswer(payoutTotalListSchema)],
    run: ({ service, caller }, { query }) =>
      answerList(query, (page) => listPayoutTotals(service, caller.accountId, page), {
        ...TOTALS_FILE,
        name: `${TOTALS_FILE.name}-${query.year}`,
      }),
  }),
  route({
    operationId: 'getPayoutStatement',
    method: 'GET',
    path: '/api/payouts/:id/statement',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get the statement of a payout',
    description:
      'What it pays, entry by entry, and what that adds up to: a page to print, or CSV with amounts as decimals. It can ' +
      'be given to the partner, because customers are masked. Only of a payout that is processing, held or paid.',
    query: payoutStatementQuery,
    otherAnswers: [{ status: 200, description: 'The statement.', contentTypes: ['text/html', 'text/csv'] }],
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run({ service, caller: { accountId }, request }, { parameters: { id: payoutId }, query: { format } }) {
      const of = { accountId, partnerId: null, payoutId };
      return answerStatement(service, of, format ?? formatAcceptedBy(request.headers.accept));
    },
  }),
] as const;

function formatAcceptedBy(accept = ''): 'html' | 'csv' {
  return accept.includes('text/csv') && !accept.includes('text/html') ? 'csv' : 'html';
}
