import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalServer, serveNode } from './serve-fetch.ts';
import { type StripeAnswer, StripePlatform, type StripeRequest, stripeError } from './stripe-connect-objects.ts';

/** What happens to a request besides its execution, or in place of it. */
interface Fault {
  /** True: the request is executed as usual, also when its client is gone. */
  isExecuted: boolean;
  /** Before the execution; meanwhile the request's key is in use. */
  delayMs?: number;
  /** What the client gets; by default, the answer of the execution. */
  answer?: StripeAnswer | 'drop' | 'hang' | 'cut';
  /** True: the answer of the fault is stored under the key, as if the execution had given it. */
  isStored?: boolean;
}

const apiError = (status: number): StripeAnswer =>
  stripeError(status, 'An unknown error occurred', { type: 'api_error' });

/** For `faults`. */
export const FAULTS = {
  delay: (delayMs: number): Fault => ({ isExecuted: true, delayMs }),
  /** The connection ends without an answer, and nothing was executed. */
  drop: { isExecuted: false, answer: 'drop' },
  /** The same, but it was executed. */
  dropAfter: { isExecuted: true, answer: 'drop' },
  hang: { isExecuted: false, answer: 'hang' },
  hangAfter: { isExecuted: true, answer: 'hang' },
  /** Half of the answer arrives. */
  cut: { isExecuted: true, answer: 'cut' },
  /** Executed; something in between answers 200 with a page. */
  notJson: { isExecuted: true, answer: { status: 200, body: '<html>Under maintenance</html>' } },
  /** Fails before the execution; not stored. */
  unavailable: { isExecuted: false, answer: apiError(503) },
  /** Executed, but the answer is 500: repetitions get it, too. */
  errorAfter: { isExecuted: true, isStored: true, answer: apiError(500) },
  /** The execution itself fails with 500, without an effect: repetitions get it, too. */
  errorOfExecution: { isExecuted: false, isStored: true, answer: apiError(500) },
  rateLimited: (retryAfter?: string): Fault => ({
    isExecuted: false,
    answer: {
      ...stripeError(429, 'Request rate limit exceeded', { code: 'rate_limit' }),
      headers: { 'stripe-should-retry': 'true', ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) },
    },
  }),
  conflict: { isExecuted: false, answer: stripeError(409, 'This object is locked', { code: 'lock_timeout' }) },
  /** Any other answer in place of the execution. */
  answer: (answer: StripeAnswer): Fault => ({ isExecuted: false, answer }),
} satisfies Record<string, Fault | ((argument: never) => Fault)>;

/** The secret key and the account of the platform that exists at first. */
export const STRIPE_KEY = 'sk_test_platform1';
export const STRIPE_PLATFORM = 'acct_platform1';

/** An in-memory Stripe with one platform, whose objects are members: `transfers`, `accounts`, `made`… */
export interface StripeConnect extends LocalServer {
  platform: StripePlatform;
  transfers: StripePlatform['transfers'];
  accounts: StripePlatform['accounts'];
  /** Every request, in order of arrival. */
  requests: StripeRequest[];
  /** The platforms by secret key; another key is answered with 401. */
  keys: Map<string, StripePlatform>;
  /**
   * Orders a fault for the next requests to a path.
   *
   * @param target `POST /v1/transfers`, or a pattern for it
   * @param times for how many requests; faults for the same target take effect one after the other
   */
  fault(target: string | RegExp, fault: Fault, times?: number): void;
  /** Takes back the faults that have not taken effect. */
  clearFaults(): void;
  /** How many transfers were really made of a group; without one, of all groups. */
  madeOf(group?: string): number;
  /** What answers have as `Date`; null for none. The real time by default. */
  date: () => string | null;
  /** Forgets the answers that are stored under idempotency keys, as Stripe does after 24 hours. */
  expireKeys(): void;
}

/** Serves what Refbridge uses of Stripe Connect on 127.0.0.1. */
export async function startStripeConnect(): Promise<StripeConnect> {
  const platform = new StripePlatform(STRIPE_PLATFORM);
  const keys = new Map([[STRIPE_KEY, platform]]);
  const requests: StripeRequest[] = [];
  const faults: { target: string | RegExp; fault: Fault; times: number }[] = [];
  const idempotency = new IdempotencyLayer();

  const takeFault = ({ method, path }: StripeRequest): Fault | undefined => {
    const name = `${method} ${path}`;
    const found = faults.find(
      ({ target, times }) => times > 0 && (typeof target === 'string' ? target === name : target.test(name)),
    );
    if (found !== undefined) found.times -= 1;
    return found?.fault;
  };

  const server = await serveNode(async (incoming, response) => {
    const request = await readRequest(incoming).catch(() => null);
    if (request === null) return;
    requests.push(request);
    const fault = takeFault(request);
    const bearer = /^Bearer (.+)$/.exec(String(request.headers.authorization))?.[1] ?? '';
    const owner = keys.get(bearer);
    const answer =
      owner === undefined
        ? stripeError(401, `Invalid API Key provided: ${bearer.slice(0, 8)}****${bearer.slice(-4)}`)
        : await idempotency.answer(owner, request, fault);
    const date = stripe.date();
    if (date === null) response.sendDate = false;
    else response.setHeader('date', date);
    send(response, fault?.answer ?? answer, answer);
  });

  const stripe: StripeConnect = {
    ...server,
    date: () => new Date().toUTCString(),
    platform,
    transfers: platform.transfers,
    accounts: platform.accounts,
    requests,
    keys,
    fault: (target, fault, times = 1) => void faults.push({ target, fault, times }),
    clearFaults: () => {
      faults.length = 0;
    },
    madeOf: (group) => {
      if (group !== undefined) return platform.made.get(group) ?? 0;
      return [...platform.made.values()].reduce((sum, count) => sum + count, 0);
    },
    expireKeys: () => idempotency.forget(),
  };
  return stripe;
}

/** Executes a request with a key once (https://docs.stripe.com/api/idempotent_requests). */
class IdempotencyLayer {
  readonly #stored = new Map<string, { fingerprint: string; answer: StripeAnswer }>();
  readonly #running = new Set<string>();

  forget(): void {
    this.#stored.clear();
  }

  async answer(platform: StripePlatform, request: StripeRequest, fault: Fault | undefined): Promise<StripeAnswer> {
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined) return execute(platform, request, fault);
    const scope = `${platform.account.id} ${key}`;
    const fingerprint = JSON.stringify([request.path, Object.entries(request.body).sort()]);
    if (this.#running.has(scope)) {
      const message = 'There is currently another in-progress request using this Idempotent Key';
      return stripeError(409, message, { code: 'idempotency_key_in_use' });
    }
    const stored = this.#stored.get(scope);
    if (stored === undefined) return this.#executeOnce(scope, fingerprint, () => execute(platform, request, fault));
    if (stored.fingerprint !== fingerprint) {
      const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`;
      return stripeError(400, message, { type: 'idempotency_error' });
    }
    return { ...stored.answer, headers: { 'idempotent-replayed': 'true', 'original-request': 'req_1' } };
  }

  async #executeOnce(scope: string, fingerprint: string, run: () => Promise<StripeAnswer>): Promise<StripeAnswer> {
    this.#running.add(scope);
    try {
      const answer = await run();
      if (answer.isExecuted !== false) this.#stored.set(scope, { fingerprint, answer });
      return answer;
    } finally {
      this.#running.delete(scope);
    }
  }
}

/** The answer that is stored if it is of an execution. Objects are copied: what is stored does not change later. */
async function execute(platform: StripePlatform, request: StripeRequest, fault?: Fault): Promise<StripeAnswer> {
  if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
  const given = typeof fault?.answer === 'object' ? fault.answer : null;
  const executed = (fault?.isExecuted ?? true) ? structuredClone(platform.answer(request)) : null;
  if (fault?.isStored === true && given !== null) return given;
  return executed ?? { ...(given ?? apiError(500)), isExecuted: false };
}

async function readRequest(incoming: IncomingMessage): Promise<StripeRequest> {
  const { method = 'GET', url = '/', headers } = incoming;
  const { pathname: path, searchParams: query } = new URL(url, 'http://127.0.0.1');
  const body = Object.fromEntries(new URLSearchParams(await text(incoming)));
  return { method, path, query, body, headers };
}

/** @param executed what `cut` sends half of */
function send(response: ServerResponse, answer: StripeAnswer | 'drop' | 'hang' | 'cut', executed: StripeAnswer): void {
  if (answer === 'hang' || response.destroyed) return;
  if (answer === 'drop') return void response.destroy();
  const { status, body, headers } = answer === 'cut' ? executed : answer;
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const length = Buffer.byteLength(json);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
  if (answer !== 'cut') return void response.end(json);
  response.write(json.slice(0, Math.floor(json.length / 2)), () => response.destroy());
}
