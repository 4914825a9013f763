import { route } from '../app/route.ts';
import { archivePartner, archiveProgram, deletePartner, deleteProgram } from './archive.ts';
import { partnerSchema, programSchema } from './schemas.ts';

/** Programs and partners that are no longer used, or were created by mistake. */
export const archiveRoutes = [
  route({
    operationId: 'archiveProgram',
    method: 'POST',
    path: '/api/programs/:id/archive',
    credential: 'api-key',
    action: 'program.archive',
    tag: 'Programs',
    summary: 'Archive a program',
    description:
      'It takes no new partners or links, its links are dead for visitors, and later payments ' +
      'are attributed but earn nothing. What its partners have earned is still paid.',
    answer: programSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => archiveProgram(service, caller.accountId, parameters.id, true),
  }),
  route({
    operationId: 'unarchiveProgram',
    method: 'POST',
    path: '/api/programs/:id/unarchive',
    credential: 'api-key',
    action: 'program.unarchive',
    tag: 'Programs',
    summary: 'Restore an archived program',
    description: 'Sales made meanwhile keep a commission of zero.',
    answer: programSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => archiveProgram(service, caller.accountId, parameters.id, false),
  }),
  route({
    operationId: 'deleteProgram',
    method: 'DELETE',
    path: '/api/programs/:id',
    credential: 'api-key',
    action: 'program.delete',
    tag: 'Programs',
    summary: 'Delete a program without partners',
    description: '409 when it has partners or webhook endpoints, or is the only one of the account.',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters }) {
      await deleteProgram(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
  route({
    operationId: 'archivePartner',
    method: 'POST',
    path: '/api/partners/:id/archive',
    credential: 'api-key',
    action: 'partner.archive',
    tag: 'Partners',
    summary: 'Archive a partner',
    description:
      'For a partner who has left: their links are dead for visitors, and later payments are ' +
      'attributed to them but earn nothing. What they have earned is still paid, and their portal shows it.',
    answer: partnerSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => archivePartner(service, caller.accountId, parameters.id, true),
  }),
  route({
    operationId: 'unarchivePartner',
    method: 'POST',
    path: '/api/partners/:id/unarchive',
    credential: 'api-key',
    action: 'partner.unarchive',
    tag: 'Partners',
    summary: 'Restore an archived partner',
    description: 'Sales made meanwhile keep a commission of zero.',
    answer: partnerSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => archivePartner(service, caller.accountId, parameters.id, false),
  }),
  route({
    operationId: 'deletePartner',
    method: 'DELETE',
    path: '/api/partners/:id',
    credential: 'api-key',
    action: 'partner.delete',
    tag: 'Partners',
    summary: 'Delete a partner who never had results',
    description:
      '409 when the partner has links, clicks, leads, sales, ledger entries or payouts; archive them instead.',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters }) {
      await deletePartner(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
] as const;
