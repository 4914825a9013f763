import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { readinessOf } from '../app/readiness.ts';
import { RawReply, Reply, route } from '../app/route.ts';
import { createWriteProbe } from '../app/write-probe.ts';
import { ServiceError } from '../errors.ts';
import { measure } from '../overview/measure.ts';
import { bearerToken } from './authentication.ts';
import { PATH_OF_METRICS } from './own-url.ts';
import { scriptFile } from './script.ts';

const liveness = z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' });

const readiness = z
  .object({
    status: z.enum(['ok', 'draining', 'failed']),
    checks: z.object({
      database: z.enum(['ok', 'failed']),
      synchronous: z
        .string()
        .nullable()
        .describe("How durable an acknowledged write is, in the engine's own word; null when it did not answer."),
      migrations: z.enum(['ok', 'failed']).describe('Whether the database has the schema that this process knows.'),
      writes: z.enum(['ok', 'failed']).describe('Whether a small write was stored within the last seconds.'),
    }),
    problems: z.array(z.string()).describe('What is wrong and what to do, each cause once.'),
  })
  .meta({ id: 'Readiness' });

/** Health, metrics, and the browser component. */
export function createSystemRoutes() {
  const answerScript = scriptFile();
  return [
    route({
      operationId: 'getLiveness',
      method: 'GET',
      path: '/health/live',
      credential: 'public',
      tag: 'Operation',
      summary: 'Check that the process answers',
      answer: liveness,
      cacheControl: 'no-store',
      unknownMembers: 'ignore',
      run: async () => ({ status: 'ok' as const }),
    }),
    route({
      operationId: 'getReadiness',
      method: 'GET',
      path: '/health/ready',
      credential: 'public',
      tag: 'Operation',
      summary: 'Check that the process is ready',
      answer: readiness,
      otherAnswers: [{ status: 503, description: 'It is not ready, or is about to stop.', schema: readiness }],
      cacheControl: 'no-store',
      unknownMembers: 'ignore',
      async run({ service }) {
        const { ready, checks, problems } = await readinessOf(service.database, service.state(createWriteProbe));
        const status = service.lifecycle.draining ? 'draining' : ready ? 'ok' : 'failed';
        return new Reply(status === 'ok' ? 200 : 503, { status, checks, problems });
      },
    }),
    route({
      operationId: 'getMetrics',
      method: 'GET',
      path: PATH_OF_METRICS,
      credential: 'public',
      tag: 'Operation',
      summary: 'Read the metrics',
      description: 'In Prometheus format; 404 unless `METRICS` switches them on. It may require a bearer token.',
      otherAnswers: [{ status: 200, description: 'The metrics.', contentTypes: ['text/plain'] }],
      errors: ['UNAUTHORIZED', 'NOT_FOUND'],
      unknownMembers: 'ignore',
      async run({ service, request: { headers, url } }) {
        // a proxy that keeps strangers from this path compares it exactly, without what a client may have appended
        if (!url.split(/[?#]/)[0]?.endsWith(PATH_OF_METRICS)) {
          throw new ServiceError('NOT_FOUND', 'There is nothing at this path');
        }
        const { metrics } = service;
        if (
          metrics.access.kind === 'token' &&
          !isSame(bearerToken(headers.authorization) ?? '', metrics.access.token)
        ) {
          throw new ServiceError('UNAUTHORIZED', 'Invalid or missing metrics token');
        }
        const current = await metrics.text(() => measure(service));
        if (current === null) throw new ServiceError('NOT_FOUND', 'Metrics are off; set METRICS to switch them on');
        return new RawReply(200, { 'Content-Type': current.contentType }, current.text);
      },
    }),
    route({
      operationId: 'getScript',
      method: 'GET',
      path: '/script.js',
      credential: 'public',
      tag: 'Browser',
      summary: 'Load the browser component',
      otherAnswers: [
        {
          status: 200,
          description: 'The component, compressed as the browser accepts it.',
          contentTypes: ['text/javascript'],
        },
        { status: 304, description: 'The browser already has it.' },
      ],
      unknownMembers: 'ignore',
      run: ({ request }) => answerScript(request),
    }),
  ] as const;
}

/** Compares digests, which have equal lengths, in constant time. */
function isSame(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(actual), digest(expected));
}
