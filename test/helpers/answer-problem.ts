import { z } from 'zod';
import type { Route } from '../../src/app/route.ts';
import { ERRORS_OF_EVERY_REQUEST, errorsOf } from '../../src/app/route-errors.ts';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts';
import { routesByPath } from '../../src/http/route-order.ts';
import { unknownMembers } from '../../src/schema/unknown-members.ts';

/** A JSON answer, and its request. */
export interface JsonAnswer {
  method: string;
  path: string;
  status: number;
  body: unknown;
}

/** The error format that the clients of other products expect. */
const dubErrorSchema = z.strictObject({
  error: z.strictObject({ code: z.string().regex(/^[a-z_]+$/), message: z.string().min(1) }),
});

const errorSchema = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERROR_STATUS) as ErrorCode[]),
    message: z.string().min(1),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Finds the routes that may have answered a request, as the server does. */
export type FindRoutes = (method: string, path: string) => readonly Route[];

/** Prepared once for a list of routes. */
export function routeFinder(routes: readonly Route[]): FindRoutes {
  const patterns = [...routesByPath(routes)].map(([path, declared]) => ({ pattern: patternOf(path), declared }));
  return (method, path) => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    for (const { pattern, declared } of patterns) {
      const parameters = pattern.exec(path)?.groups;
      if (parameters === undefined && !pattern.test(path)) continue;
      const accepting = declared.filter(({ accepts }) => accepts === undefined || accepts(parameters ?? {}));
      if (accepting.length > 0) return accepting.filter((route) => route.method === wanted);
    }
    return [];
  };
}

/** How an answer differs from its route's declaration; null when it matches any of the possible routes. */
export function answerProblem(find: FindRoutes, answer: JsonAnswer): string | null {
  const routes = find(answer.method, answer.path);
  if (routes.length === 0) return problemWithoutRoute(answer);
  const problems = routes.map((route) => problemOf(route, answer));
  return problems.includes(null) ? null : (problems[0] ?? null);
}

/** Outside the declared paths and methods, an answer must be an error; a preflight may be refused. */
function problemWithoutRoute(answer: JsonAnswer): string | null {
  if (answer.status >= 400) {
    return errorProblem(answer, [...ERRORS_OF_EVERY_REQUEST, 'NOT_FOUND', 'ORIGIN_NOT_ALLOWED']);
  }
  return answer.path.startsWith('/api/') ? 'no route declares it' : null;
}

function problemOf(route: Route, answer: JsonAnswer): string | null {
  const { status, body } = answer;
  const declared = [
    ...(route.answer === undefined ? [] : [{ status: route.status ?? 200, schema: route.answer as z.ZodType }]),
    ...(route.otherAnswers ?? []),
  ].filter((one) => one.status === status);
  if (declared.some(({ schema }) => schema === undefined || schemaProblem(schema, body) === null)) return null;
  const [first] = declared;
  const isError = typeof body === 'object' && body !== null && 'error' in body;
  if (status >= 400 && (first === undefined || isError)) {
    return errorProblem(answer, [...errorsOf(route), ...ERRORS_OF_EVERY_REQUEST]);
  }
  return first?.schema === undefined ? 'this status is not declared' : schemaProblem(first.schema, body);
}

function errorProblem({ path, status, body }: JsonAnswer, codes: readonly ErrorCode[]): string | null {
  if (path.startsWith('/compat/dub')) return schemaProblem(dubErrorSchema, body);
  const problem = schemaProblem(errorSchema, body);
  if (problem !== null) return problem;
  const { code, details } = errorSchema.parse(body).error;
  if (!codes.includes(code)) return `${code} is not among the errors that are declared`;
  if (ERROR_STATUS[code] !== status) return `${code} is an error of status ${ERROR_STATUS[code]}`;
  return (code === 'VALIDATION_ERROR') === (details !== undefined) ? null : 'details are of VALIDATION_ERROR alone';
}

function schemaProblem(schema: z.ZodType, body: unknown): string | null {
  const issues = schema.safeParse(body).error?.issues ?? [];
  const problems = [
    ...issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...unknownMembers(schema, body).map(({ path }) => `${path} is not declared`),
  ];
  return problems.length === 0 ? null : problems.join('; ');
}

/** Express matches paths in any case, and with a trailing slash. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`, 'i');
}
