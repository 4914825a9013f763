import { PATHS } from '../../client/api-paths.ts';
import { ServiceError } from '../../errors.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { AccountApi, CallInput, OperationId } from './account-api.ts';
import type { Remote } from './remote.ts';
import { cutOff, refusal, unreachable } from './remote-errors.ts';

/**
 * A payout run over many partners takes minutes, but Node's fetch waits no longer for an answer to begin. For a file, only
 * the headers have to arrive in time.
 */
const TIMEOUT_MS = 5 * 60_000;

/** The API of the key's account, over HTTP. */
export function createRemoteApi(remote: Remote, timeoutMs = TIMEOUT_MS): AccountApi {
  async function send(operationId: OperationId, input: CallInput, isFile = false): Promise<Response> {
    const { method, path } = placeOf(operationId);
    const response = await request(remote, { method, path: pathOf(path, input), body: input.body, isFile, timeoutMs });
    if (response.ok) return response;
    throw await refusal(remote, response, { method, versionOf: () => versionOf(remote) });
  }

  return {
    version: () => versionOf(remote),
    async call(operationId, input = {}) {
      const response = await send(operationId, input);
      if (response.status === 204) return undefined as never;
      return jsonOf(remote, response, placeOf(operationId).method) as never;
    },
    async *download(operationId, input) {
      const { body } = await send(operationId, input, true);
      try {
        if (body !== null) yield* body;
      } catch (error) {
        throw cutOff(remote.url, error);
      }
    },
    finish: async () => null,
  };
}

/** @throws CommandError unless a Refbridge answers there */
async function versionOf(remote: Remote): Promise<string> {
  const response = await request(remote, { method: 'GET', path: '/', body: undefined });
  const service = response.ok ? await jsonOf(remote, response, 'GET') : null;
  if (isService(service)) return service.version;
  throw new CommandError(EXIT.unreachable, `${remote.url} is not a Refbridge server: check the address.`);
}

interface RequestParts {
  method: string;
  path: string;
  body: unknown;
  isFile?: boolean;
  timeoutMs?: number;
}

async function request(
  { url, apiKey }: Remote,
  { method, path, body, isFile = false, timeoutMs = TIMEOUT_MS }: RequestParts,
): Promise<Response> {
  const waiting = new AbortController();
  const timer = setTimeout(
    () => waiting.abort(new DOMException('no answer in time', 'TimeoutError')),
    timeoutMs,
  ).unref();
  const isRaw = body instanceof Uint8Array;
  const type = isRaw ? 'text/csv' : method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: isRaw ? Uint8Array.from(body) : JSON.stringify(body) }),
      // the key is for this address only
      redirect: 'manual',
      signal: waiting.signal,
    });
    // a file takes as long as the connection needs; fetch ends one that stalls
    if (isFile) clearTimeout(timer);
    return response;
  } catch (error) {
    throw unreachable(url, error, method);
  }
}

async function jsonOf({ url }: Remote, response: Response, method: string): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(url, error, method);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(EXIT.unreachable, `${url} did not answer with JSON: check the address.`, error);
  }
}

const PLACES: Readonly<Partial<Record<OperationId, string>>> = PATHS;

function placeOf(operationId: OperationId): { method: string; path: string } {
  const [method, path] = PLACES[operationId]?.split(' ') ?? [];
  if (method === undefined || path === undefined) throw new Error(`${operationId} is no call of the API`);
  return { method, path };
}

function pathOf(path: string, { parameters = {}, query = {} }: CallInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(parameters[name] ?? ''));
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
}

/** @throws ServiceError `NOT_FOUND` for a name that would make the path that of another route, such as the list */
function segmentOf(name: string): string {
  if (!['', '.', '..'].includes(name)) return encodeURIComponent(name);
  throw new ServiceError('NOT_FOUND', `Nothing is called ${JSON.stringify(name)} in this account`);
}

function isService(value: unknown): value is { version: string } {
  return (
    typeof value === 'object' && value !== null && 'name' in value && value.name === 'refbridge' && 'version' in value
  );
}
