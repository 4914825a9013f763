import { route } from '../app/route.ts';
import { reportStatistics } from './report.ts';
import { statisticsQuery, statisticsSchema } from './schemas.ts';

/** Results by day, week or month. */
export const resultRoutes = [
  route({
    operationId: 'getStatistics',
    method: 'GET',
    path: '/api/statistics',
    credential: 'api-key',
    tag: 'Statistics',
    summary: 'Get clicks, leads, sales, revenue and commission by day, week or month',
    description:
      'Of the account, or of a program, a partner or a link. Intervals without results are included. A sale counts on ' +
      'the day it was recorded, in UTC, and a refund lowers the commission of that day.',
    query: statisticsQuery,
    answer: statisticsSchema,
    errors: ['INVALID_STATE'],
    run: ({ service, caller }, { query }) => reportStatistics(service, caller.accountId, query),
  }),
] as const;
