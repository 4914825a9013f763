import { route } from '../app/route.ts';
import { getOverview } from './overview.ts';
import { overviewSchema } from './schemas.ts';

/** The first information that an operator needs. */
export const overviewRoutes = [
  route({
    operationId: 'getOverview',
    method: 'GET',
    path: '/api/overview',
    credential: 'api-key',
    tag: 'Statistics',
    summary: 'Get what needs attention, what is owed and what is left to set up',
    answer: overviewSchema,
    errors: ['INVALID_STATE'],
    run: ({ service, caller }) => getOverview(service, caller.accountId),
  }),
] as const;
