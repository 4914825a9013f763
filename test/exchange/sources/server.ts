import { type LocalServer, serveNode } from '../../helpers/serve-fetch.ts';

/** A service as its documentation describes it, with invented people. */
export interface SourceFixture {
  /** The environment variables that its command reads. */
  environment: Record<string, string>;
  /** The headers that it requires of each request. */
  headers: Record<string, string>;
  /** The destination of links for which it gives none. */
  linkUrl?: string;
  /** All records by path. */
  lists: Record<string, readonly object[]>;
  /** The answer with one page of the list at a path. */
  page(rows: readonly object[], query: URLSearchParams, path: string): unknown;
}

/** What goes wrong with the next request. */
export type Fault = '429' | 'cut' | '500';

export interface SourceServer extends LocalServer {
  requestCount: number;
  /** Faults by request number, from 1; from `fromOn` on, every request fails. */
  faults: Map<number, Fault>;
  fromOn: number;
  lists: Record<string, readonly object[]>;
}

/** Serves a fixture on a free port of 127.0.0.1. */
export async function startSource(fixture: SourceFixture): Promise<SourceServer> {
  const server = await serveNode((request, response) => {
    state.requestCount += 1;
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const fault = state.requestCount >= state.fromOn ? '500' : state.faults.get(state.requestCount);
    const rows = state.lists[url.pathname];
    const isAllowed = Object.entries(fixture.headers).every(([name, value]) => request.headers[name] === value);
    if (!isAllowed) answer(401, { error: 'who are you?' });
    else if (fault === '429') answer(429, { error: 'too many requests' }, { 'retry-after': '0' });
    else if (fault === '500') answer(500, { error: 'out of order' }, { 'retry-after': '0' });
    else if (fault === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"data":[', () => response.destroy());
    } else if (rows === undefined) answer(404, { error: `there is no ${url.pathname}` });
    else answer(200, fixture.page(rows, url.searchParams, url.pathname));
  });
  const state: SourceServer = {
    ...server,
    requestCount: 0,
    faults: new Map(),
    fromOn: Number.POSITIVE_INFINITY,
    lists: { ...fixture.lists },
  };
  return state;
}
