import { fileReply } from '../app/file-reply.ts';
import { route } from '../app/route.ts';
import { recordFileResults } from './file-results.ts';
import {
  fileResultsInput,
  fileResultsSchema,
  newPayoutFileSchema,
  payoutFileInput,
  payoutFileListQuery,
  payoutFileListSchema,
  payoutFileSchema,
  payoutsOfFileQuery,
  payoutsOfFileSchema,
} from './file-schemas.ts';
import {
  cancelPayoutFile,
  downloadPayoutFile,
  listPayoutFiles,
  listPayoutsOfFile,
  makePayoutFile,
  readPayoutFile,
} from './files.ts';

const TAG = 'Payouts';

/** Files for banks and providers, and their reports. */
export const payoutFileRoutes = [
  route({
    operationId: 'createPayoutFile',
    method: 'POST',
    path: '/api/payouts/files',
    credential: 'api-key',
    action: 'payout_file.create',
    tag: TAG,
    summary: 'Make a file for a bank or provider',
    description:
      'For PayPal (mass payout), Wise (batch) or a bank (SEPA credit transfer), from payouts that are processing. A ' +
      'payout is in only one file; `leftOut` lists those that cannot be paid this way, and why.',
    body: payoutFileInput,
    largeBody: true,
    status: 201,
    answer: newPayoutFileSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    run: ({ service, caller }, { body }) => makePayoutFile(service, caller.accountId, body, caller.actor),
  }),
  route({
    operationId: 'listPayoutFiles',
    method: 'GET',
    path: '/api/payouts/files',
    credential: 'api-key',
    tag: TAG,
    summary: 'List the files for banks and providers',
    description: 'Newest first.',
    query: payoutFileListQuery,
    answer: payoutFileListSchema,
    run: ({ service, caller }, { query }) => listPayoutFiles(service, caller.accountId, query),
  }),
  route({
    operationId: 'listPayoutsOfFile',
    method: 'GET',
    path: '/api/payouts/files/:id/payouts',
    credential: 'api-key',
    tag: TAG,
    summary: 'List the payouts in a file',
    description: 'With the result of each, but without the content of the file.',
    query: payoutsOfFileQuery,
    answer: payoutsOfFileSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters, query }) =>
      listPayoutsOfFile(service, caller.accountId, parameters.id, query),
  }),
  route({
    operationId: 'getPayoutFile',
    method: 'GET',
    path: '/api/payouts/files/:id',
    credential: 'api-key',
    scope: 'full',
    role: 'member',
    action: 'payout_file.download',
    tag: TAG,
    summary: 'Download a file for a bank or provider',
    description:
      'The same bytes each time. It contains account details, so a key needs the scope `full`, and each download is in the ' +
      'audit log.',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    otherAnswers: [{ status: 200, description: 'The file.', contentTypes: ['text/csv', 'application/xml'] }],
    async run({ service, caller, request: { method } }, { parameters }) {
      const read = method === 'HEAD' ? readPayoutFile : downloadPayoutFile;
      const { contentType, fileName, content } = await read(service, caller.accountId, parameters.id);
      return fileReply(contentType, fileName, content);
    },
  }),
  route({
    operationId: 'cancelPayoutFile',
    method: 'POST',
    path: '/api/payouts/files/:id/cancel',
    credential: 'api-key',
    action: 'payout_file.cancel',
    tag: TAG,
    summary: 'Cancel a file that was not sent',
    description:
      'Its content is deleted, and its payouts may go into another file. Do this only if it was not given to a bank or provider.',
    answer: payoutFileSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => cancelPayoutFile(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'recordFileResults',
    method: 'POST',
    path: '/api/payouts/files/:id/results',
    credential: 'api-key',
    action: 'payout_file.results',
    tag: TAG,
    summary: 'Record what the bank or provider reports',
    description: 'Marks payouts of the file as paid or failed by their short ids. May be repeated.',
    body: fileResultsInput,
    largeBody: true,
    answer: fileResultsSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller: { accountId, actor } }, { parameters: { id: fileId }, body: { results } }) =>
      recordFileResults(service, accountId, { fileId, results, actor }),
  }),
  route({
    operationId: 'recordPayoutResults',
    method: 'POST',
    path: '/api/payouts/results',
    credential: 'api-key',
    action: 'payout_file.results',
    tag: TAG,
    summary: 'Record a report about payouts of any file',
    description: 'Marks payouts as paid or failed by their short ids, whichever file they are in. May be repeated.',
    body: fileResultsInput,
    largeBody: true,
    answer: fileResultsSchema,
    run: ({ service, caller: { accountId, actor } }, { body: { results } }) =>
      recordFileResults(service, accountId, { fileId: null, results, actor }),
  }),
] as const;
