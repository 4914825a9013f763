import { route } from '../app/route.ts';
import { listAuditLog } from './audit-log.ts';
import { auditLogQuery, auditLogSchema } from './audit-schemas.ts';
import {
  invitedOperatorSchema,
  operatorInput,
  operatorListQuery,
  operatorListSchema,
  operatorPatch,
  operatorSchema,
} from './operator-schemas.ts';
import { changeOperator, inviteAgain, inviteOperator, listOperators, removeOperator } from './operators.ts';

const TAG = 'Operators';

/** The people who sign in, and the changes made by them and by API keys. */
export const operatorRoutes = [
  route({
    operationId: 'inviteOperator',
    method: 'POST',
    path: '/api/operators',
    credential: 'session',
    role: 'owner',
    action: 'operator.create',
    tag: TAG,
    summary: 'Invite an operator',
    description: 'Returns an address that signs them in once, within half an hour. Send it to them yourself.',
    body: operatorInput,
    status: 201,
    answer: invitedOperatorSchema,
    errors: ['CONFLICT'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { body }) => inviteOperator(service, caller, body),
  }),
  route({
    operationId: 'listOperators',
    method: 'GET',
    path: '/api/operators',
    credential: 'session',
    tag: TAG,
    summary: 'List operators',
    description: 'Newest first.',
    query: operatorListQuery,
    answer: operatorListSchema,
    run: ({ service, caller }, { query }) => listOperators(service, caller.accountId, query),
  }),
  route({
    operationId: 'updateOperator',
    method: 'PATCH',
    path: '/api/operators/:id',
    credential: 'session',
    role: 'owner',
    action: 'operator.update',
    tag: TAG,
    summary: "Change an operator's name or role",
    description:
      'A new role takes effect with their next request. The last owner keeps that role. If they are no longer an owner, ' +
      'all sign-in addresses of operators that were not used end.',
    patch: operatorPatch,
    answer: operatorSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: ({ service, caller }, { parameters, patch }) => changeOperator(service, caller, parameters.id, patch),
  }),
  route({
    operationId: 'removeOperator',
    method: 'DELETE',
    path: '/api/operators/:id',
    credential: 'session',
    role: 'owner',
    action: 'operator.delete',
    tag: TAG,
    summary: 'Remove an operator',
    description:
      'Ends their sessions; for an owner also all sign-in addresses of operators that were not used. The last owner cannot ' +
      'be removed.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    async run({ service, caller }, { parameters }) {
      await removeOperator(service, caller, parameters.id);
      return undefined;
    },
  }),
  route({
    operationId: 'createSignInUrl',
    method: 'POST',
    path: '/api/operators/:id/sign-in-url',
    credential: 'session',
    role: 'owner',
    action: 'operator.invite',
    tag: TAG,
    summary: 'Create another sign-in address for an operator',
    description: 'Confirms an e-mail address that they have set themselves, so that it counts for single sign-on.',
    status: 201,
    answer: invitedOperatorSchema,
    errors: ['NOT_FOUND'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { parameters }) => inviteAgain(service, caller, parameters.id),
  }),
  route({
    operationId: 'listAuditLog',
    method: 'GET',
    path: '/api/audit-log',
    credential: 'session',
    tag: TAG,
    summary: 'Read the audit log',
    description: 'Changes by operators, API keys and the command line, newest first. Entries are never changed.',
    query: auditLogQuery,
    answer: auditLogSchema,
    run: ({ service, caller }, { query }) => listAuditLog(service, caller.accountId, query),
  }),
] as const;
