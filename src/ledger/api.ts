import { answerList, csvAnswer, withCsv } from '../app/csv-list.ts';
import { route } from '../app/route.ts';
import { adjust } from './adjustments.ts';
import { LEDGER_FILE } from './csv.ts';
import { getEarnings } from './earnings.ts';
import { listLedger } from './list.ts';
import {
  adjustmentInput,
  earningsQuery,
  earningsReportSchema,
  entryListSchema,
  entrySchema,
  ledgerQuery,
} from './schemas.ts';

const TAG = 'Ledger';

/** What partners are owed: every entry, and the totals. */
export const ledgerRoutes = [
  route({
    operationId: 'listLedgerEntries',
    method: 'GET',
    path: '/api/ledger',
    credential: 'api-key',
    tag: TAG,
    summary: 'List ledger entries',
    description: 'Newest first. Entries are only appended, never changed or deleted.',
    query: withCsv(ledgerQuery),
    answer: entryListSchema,
    otherAnswers: [csvAnswer(entryListSchema)],
    run: ({ service, caller }, { query }) =>
      answerList(query, (page) => listLedger(service, caller.accountId, page), LEDGER_FILE),
  }),
  route({
    operationId: 'createAdjustment',
    method: 'POST',
    path: '/api/adjustments',
    credential: 'api-key',
    action: 'adjustment.create',
    tag: TAG,
    summary: 'Adjust what a partner is owed',
    description: 'Adds an entry that is due at once and goes into the next payout.',
    body: adjustmentInput,
    status: 201,
    answer: entrySchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { body }) => adjust(service, caller.accountId, body),
  }),
  route({
    operationId: 'getPartnerEarnings',
    method: 'GET',
    path: '/api/partners/:id/earnings',
    credential: 'api-key',
    tag: TAG,
    summary: "Get a partner's earnings",
    description: 'By currency, for the entries created in the period, or for all time without a period.',
    query: earningsQuery,
    answer: earningsReportSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, query }) => getEarnings(service, caller.accountId, parameters.id, query),
  }),
] as const;
