import { afterEach } from 'vitest';
import type { Route } from '../../src/app/route.ts';
import { withoutDoubledSlashes } from '../../src/http/own-url.ts';
import type { FindRoutes, JsonAnswer } from './answer-problem.ts';
import { isTestServer, routesAt } from './test-servers.ts';

// Compares every JSON answer that a test receives over HTTP with its route's declaration: an undeclared member, status
// or error code fails the test, no matter where the answer was received.

const CHECKED = Symbol.for('refbridge.checked-fetch');

interface CheckedFetch {
  /** The problems of all answers, including those whose rejection was caught: the client catches everything. */
  [CHECKED]?: string[];
}

type Check = (answer: JsonAnswer, routes: readonly Route[] | null) => string | null;

/** Loaded with the first answer, because most test files never receive one. */
let loading: Promise<Check> | null = null;

async function loadCheck(): Promise<Check> {
  const [{ answerProblem, routeFinder }, { createRoutes }] = await Promise.all([
    import('./answer-problem.ts'),
    import('../../src/http/routes.ts'),
  ]);
  const usual = routeFinder(createRoutes());
  const finders = new WeakMap<readonly Route[], FindRoutes>();
  const finderOf = (routes: readonly Route[]) => {
    const finder = finders.get(routes) ?? routeFinder(routes);
    finders.set(routes, finder);
    return finder;
  };
  return (answer, routes) => answerProblem(routes === null ? usual : finderOf(routes), answer);
}

async function problemOf(response: Response, method: string): Promise<string | null> {
  const { status, url } = response;
  const { origin, pathname } = new URL(url);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (!isJson || method === 'HEAD' || !isTestServer(origin)) return null;
  // a test that receives a truncated answer does so on purpose
  const text = await response
    .clone()
    .text()
    .catch(() => '');
  if (text === '') return null;
  loading ??= loadCheck();
  const check = await loading;
  const path = decodedPath(withoutDoubledSlashes(pathname));
  const problem = check({ method, path, status, body: JSON.parse(text) }, routesAt(origin));
  return problem && `${method} ${path} answered ${status}, and not as its route declares: ${problem}`;
}

/** Returned unchanged when it cannot be decoded; the server refuses it. */
function decodedPath(pathname: string): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}

const plainFetch = globalThis.fetch as typeof fetch & CheckedFetch;
// files that share a worker run this more than once
if (plainFetch[CHECKED] === undefined) {
  const problems: string[] = [];
  const checkedFetch: typeof fetch = async (input, init) => {
    const response = await plainFetch(input, init);
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    const problem = await problemOf(response, method);
    if (problem === null) return response;
    problems.push(problem);
    throw new Error(problem);
  };
  globalThis.fetch = Object.assign(checkedFetch, { [CHECKED]: problems });
}

afterEach(() => {
  const problems = (globalThis.fetch as CheckedFetch)[CHECKED]?.splice(0) ?? [];
  if (problems.length > 0) throw new Error(problems.join('\n'));
});
