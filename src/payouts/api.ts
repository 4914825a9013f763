import { answerList, csvAnswer, withCsv } from '../app/csv-list.ts';
import { fileReply } from '../app/file-reply.ts';
import { route } from '../app/route.ts';
import { PAYOUTS_FILE } from './csv.ts';
import { exportPayouts } from './export.ts';
import { getPayoutInFull, listPayouts } from './list.ts';
import { runPayouts } from './run.ts';
import {
  payoutEndInput,
  payoutExportQuery,
  payoutExportSchema,
  payoutInFullSchema,
  payoutListQuery,
  payoutListSchema,
  payoutRunInput,
  payoutRunSchema,
  payoutSchema,
} from './schemas.ts';
import { settlePayout } from './states.ts';

const TAG = 'Payouts';

/** Payouts: runs, results and exports. */
export const payoutRoutes = [
  route({
    operationId: 'listPayouts',
    method: 'GET',
    path: '/api/payouts',
    credential: 'api-key',
    tag: TAG,
    summary: 'List payouts',
    description: 'Newest first.',
    query: withCsv(payoutListQuery),
    answer: payoutListSchema,
    otherAnswers: [csvAnswer(payoutListSchema)],
    run: ({ service, caller }, { query }) =>
      answerList(query, (page) => listPayouts(service, caller.accountId, page), PAYOUTS_FILE),
  }),
  route({
    operationId: 'runPayouts',
    method: 'POST',
    path: '/api/payouts/run',
    credential: 'api-key',
    action: 'payout.start',
    tag: TAG,
    summary: 'Start every payout that is due',
    description:
      "A payout is due when its entries past their hold add up to a positive amount that reaches the program's minimum; " +
      'for an archived partner or program, there is none. Concurrent or repeated runs never pay anything twice. A payout ' +
      'that fails is listed in `failed` and does not stop the others.',
    body: payoutRunInput,
    bodyIsOptional: true,
    answer: payoutRunSchema,
    run: ({ service, caller: { accountId, actor }, onProgress }, { body }) =>
      runPayouts(service, accountId, body, { actor, ...(onProgress && { onProgress }) }),
  }),
  route({
    operationId: 'exportPayouts',
    method: 'GET',
    path: '/api/payouts/export',
    credential: 'api-key',
    reads: 'primary',
    tag: TAG,
    summary: 'Export payouts to a file',
    description:
      'Oldest first, without a limit. CSV is for a bank or a payout provider: amounts as decimals, and text that ' +
      'a spreadsheet would evaluate has an apostrophe before the formula. Pay nothing that a file or a transfer pays, ' +
      'and nothing that is held: `fileId` and `transferStatus` say so.',
    query: payoutExportQuery,
    otherAnswers: [
      {
        status: 200,
        description: 'The file, as CSV or, with `format=json`, as JSON.',
        contentTypes: ['text/csv', 'application/json'],
        schema: payoutExportSchema,
      },
    ],
    async run({ service, caller, onProgress }, { query }) {
      const { contentType, fileName, chunks } = await exportPayouts(service, caller.accountId, query, (payoutCount) =>
        onProgress?.({ payoutCount }),
      );
      return fileReply(contentType, fileName, chunks);
    },
  }),
  route({
    operationId: 'getPayout',
    method: 'GET',
    path: '/api/payouts/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get a payout',
    answer: payoutInFullSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getPayoutInFull(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'markPayoutPaid',
    method: 'POST',
    path: '/api/payouts/:id/paid',
    credential: 'api-key',
    action: 'payout.mark_paid',
    tag: TAG,
    summary: 'Mark a payout as paid',
    description: 'The money was sent. Only for a payout that is processing or held.',
    body: payoutEndInput,
    bodyIsOptional: true,
    answer: payoutSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller: { accountId, actor } }, { parameters: { id }, body: { note } }) =>
      settlePayout(service, accountId, id, { status: 'paid', note, actor }),
  }),
  route({
    operationId: 'markPayoutFailed',
    method: 'POST',
    path: '/api/payouts/:id/failed',
    credential: 'api-key',
    action: 'payout.mark_failed',
    tag: TAG,
    summary: 'Mark a payout as failed',
    description:
      "The money came back: the entries go into the partner's next payout. Only for one that is processing or held.",
    body: payoutEndInput,
    bodyIsOptional: true,
    answer: payoutSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller: { accountId, actor } }, { parameters: { id }, body: { note } }) =>
      settlePayout(service, accountId, id, { status: 'failed', note, actor }),
  }),
  route({
    operationId: 'cancelPayout',
    method: 'POST',
    path: '/api/payouts/:id/cancel',
    credential: 'api-key',
    action: 'payout.cancel',
    tag: TAG,
    summary: 'Cancel a payout',
    description: "It will not be paid: the entries go into the partner's next payout. Only for one that is processing.",
    body: payoutEndInput,
    bodyIsOptional: true,
    answer: payoutSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller: { accountId, actor } }, { parameters: { id }, body: { note } }) =>
      settlePayout(service, accountId, id, { status: 'canceled', note, actor }),
  }),
] as const;
