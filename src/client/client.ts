import { createApi } from './api.ts';
import type { ApiMethods } from './api-methods.ts';
import { clickIdFromRequest } from './click-id.ts';
import { delayMsOf, numberOf } from './number-options.ts';
import { createPendingCalls } from './pending-calls.ts';
import { createQueue, isRecorded } from './queue.ts';
import { createQueueKeeper, type QueueStore } from './queue-store.ts';
import type { OnProblem, QueuedCall } from './queued-call.ts';
import { reportBody } from './report-body.ts';
import type { ClientError, Connection } from './send.ts';
import { createSender, sendWithin } from './sender.ts';
import { stopwatchMs } from './stopwatch.ts';
import type {
  EmbedToken,
  EmbedTokenRequest,
  Lead,
  LeadAnswer,
  ParkedPayment,
  Refund,
  RefundAnswer,
  Sale,
  SaleAnswer,
} from './wire.ts';

export interface ClientOptions {
  /** The URL of the service: `https://refer.example.com`. */
  baseUrl: string | undefined;
  /** `rb_live_…`; stays on the server. */
  apiKey: string | undefined;
  /** The time limit of a tracking method, including its retries; 2000 by default. */
  timeoutMs?: number;
  /** The time limit of a method of the API (`partners.create`), including its retries; 30,000 by default. */
  requestTimeoutMs?: number;
  /** How often a method of the API repeats a call where that is safe; 2 by default. */
  retries?: number;
  /** The maximum number of queued calls; 1000 by default. */
  queueLimit?: number;
  /** Persists the queue beyond the process; without one it is kept in memory. */
  queueStore?: QueueStore;
  /**
   * Called for problems that no result reports: a queued call that was dropped, a store that failed, a key or address with
   * which the queue cannot be sent.
   */
  onProblem?: OnProblem;
  /** For proxies and tests. */
  fetch?: typeof fetch;
}

/** The outcome of a call. */
type Sent<Answer> =
  | { ok: true; status: 'recorded'; answer: Answer }
  /** A retry found that an earlier attempt was counted; only its answer was lost. */
  | { ok: true; status: 'duplicate' }
  /** Not sent yet; the client retries in the background. */
  | { ok: false; status: 'queued'; error: ClientError }
  /** Not recorded, and a retry would not help; or the queue is full. */
  | { ok: false; status: 'refused'; error: ClientError };

/** The customer is not known yet: the payment waits for its lead. */
type Parked = { ok: true; status: 'parked'; parkedPayment: ParkedPayment };

/** `skipped`: no click id, so nobody referred this visitor. */
export type TrackResult<Answer> = Sent<Answer> | { ok: true; status: 'skipped' };

/** With the sale's invoice id, yours or a generated one; null when the sale could not be sent at all. */
export type SaleResult = (Sent<SaleAnswer> | Parked) & { invoiceId: string | null };

/** `parked`: the refund waits with its payment. */
export type RefundResult = Sent<RefundAnswer> | Parked;

export type EmbedTokenResult = { ok: true; token: EmbedToken } | { ok: false; error: ClientError };

/**
 * The tracking methods, which never throw or reject and never take longer than `timeoutMs`, except `flush`; and the methods
 * of the API by subject (`partners.create`), which throw a `RefbridgeError`.
 */
export interface Client extends ApiMethods {
  trackLead(lead: Lead): Promise<TrackResult<LeadAnswer>>;
  /** Without a click id, the customer's lead decides which partner earns; the payment waits for a missing one. */
  trackSale(sale: Sale): Promise<SaleResult>;
  /** Reverses the commission of a sale in proportion; idempotent by `refundId`. */
  refundSale(refund: Refund): Promise<RefundResult>;
  /** Never queued, because a page is waiting for the token. */
  createEmbedToken(request: EmbedTokenRequest): Promise<EmbedTokenResult>;
  clickIdFromRequest: typeof clickIdFromRequest;
  /**
   * Waits for the tracking calls that have not ended, and sends each queued call once; returns how many are left. Call it at
   * the end of a process or of a serverless request.
   */
  flush(): Promise<number>;
}

const TIMEOUT_MS_DEFAULT = 2_000;
const QUEUE_LIMIT_DEFAULT = 1_000;
const REQUEST_TIMEOUT_MS_DEFAULT = 30_000;
const RETRIES_DEFAULT = 2;

/**
 * A client for your own server. Its tracking methods report problems in their results, so that they never interrupt a
 * sign-up or an order.
 */
export function createClient(options: ClientOptions): Client {
  const timeoutMs = delayMsOf(options.timeoutMs, TIMEOUT_MS_DEFAULT);
  const callsMax = numberOf(options.queueLimit, QUEUE_LIMIT_DEFAULT);
  const connection = connectionOf(options);
  const misconfigured = configurationError(connection);
  const onProblem = neverThrowing(options.onProblem);
  const sender = createSender(connection);
  if (misconfigured !== null) onProblem(misconfigured, null);
  const keeper = createQueueKeeper((misconfigured === null && options.queueStore) || null, onProblem);
  const queue = createQueue({ sender, keeper, timeoutMs, callsMax, onProblem });
  const pending = createPendingCalls(timeoutMs);

  async function call(path: string, body: string, budgetMs: number) {
    if (misconfigured !== null) return { attempts: 0, result: { kind: 'refused', error: misconfigured } } as const;
    return sendWithin(sender, path, body, budgetMs);
  }

  function track<Answer>(path: QueuedCall['path'], input: object): Promise<Sent<Answer> | Parked> {
    return pending.add(sendOrQueue<Answer>(path, input));
  }

  async function sendOrQueue<Answer>(path: QueuedCall['path'], input: object): Promise<Sent<Answer> | Parked> {
    const deadline = stopwatchMs() + timeoutMs;
    const body = reportBody(input);
    const unsent = { path, body, attempts: 0, queuedAt: Date.now() };
    const isTooEarly = await queue.holdsUp(unsent);
    if (isTooEarly && queue.add(unsent)) return { ok: false, status: 'queued', error: OTHERS_FIRST };
    const { attempts, result } = await call(path, body, Math.max(deadline - stopwatchMs(), 1));
    if (result.kind === 'answered') return answered<Answer>(result.body);
    const { error } = result;
    if (result.kind !== 'delayed') {
      return isRecorded(error, attempts - 1)
        ? { ok: true, status: 'duplicate' }
        : { ok: false, status: 'refused', error };
    }
    const isQueued = queue.add({ path, body, attempts, queuedAt: Date.now() });
    return { ok: false, status: isQueued ? 'queued' : 'refused', error };
  }

  const api = createApi({
    connection,
    timeoutMs: delayMsOf(options.requestTimeoutMs, REQUEST_TIMEOUT_MS_DEFAULT),
    retries: numberOf(options.retries, RETRIES_DEFAULT),
    problemOf({ isPublic }, { token }) {
      const isKeySent = token === undefined && isPublic !== true;
      return configurationProblem(connection, isKeySent);
    },
  });

  return {
    ...api,
    async trackLead(lead) {
      try {
        if (!lead.clickId) return { ok: true, status: 'skipped' };
        return (await track<LeadAnswer>('/api/track/lead', lead)) as Sent<LeadAnswer>;
      } catch (thrown) {
        return { ok: false, status: 'refused', error: notSendable(thrown) };
      }
    },
    async trackSale(reported) {
      try {
        const { clickId, ...sale } = reported;
        const invoiceId = sale.invoiceId?.trim() || `inv_${crypto.randomUUID()}`;
        const result = clickId
          ? await track<SaleAnswer>('/api/track/sale', { clickId, ...sale, invoiceId })
          : await track<SaleAnswer>('/api/sales', { ...sale, invoiceId });
        return { ...result, invoiceId };
      } catch (thrown) {
        return { ok: false, status: 'refused', error: notSendable(thrown), invoiceId: null };
      }
    },
    async refundSale(refund) {
      try {
        return await track<RefundAnswer>('/api/refunds', refund);
      } catch (thrown) {
        return { ok: false, status: 'refused', error: notSendable(thrown) };
      }
    },
    async createEmbedToken(request) {
      try {
        const { result } = await call('/api/embed/token', JSON.stringify(request), timeoutMs);
        if (result.kind === 'answered') return { ok: true, token: result.body as EmbedToken };
        return { ok: false, error: result.error };
      } catch (thrown) {
        return { ok: false, error: notSendable(thrown) };
      }
    },
    clickIdFromRequest,
    flush: () => pending.settled().then(queue.flush),
  };
}

const OTHERS_FIRST: ClientError = {
  code: 'NOT_SENT',
  message: 'Earlier calls about this customer or invoice may still be queued; this one is sent after them',
  status: null,
};

/** A payment whose customer nobody knows yet is answered as parked. */
function answered<Answer>(body: object): Sent<Answer> | Parked {
  if (!('parkedPayment' in body)) return { ok: true, status: 'recorded', answer: body as Answer };
  return { ok: true, status: 'parked', parkedPayment: body.parkedPayment as ParkedPayment };
}

function connectionOf({ baseUrl = '', apiKey = '', fetch: given }: ClientOptions): Connection {
  return {
    baseUrl: baseUrl.trim().replace(/\/+$/, ''),
    apiKey: apiKey.trim(),
    // called as a function, because browsers and edge runtimes refuse it as a method of another object
    fetch: given ?? ((input, init) => fetch(input, init)),
  };
}

function configurationError(connection: Connection): ClientError | null {
  const message = configurationProblem(connection, true);
  return message === null ? null : { code: 'NOT_CONFIGURED', message, status: null };
}

/** What is wrong with the URL, or with the key where one is needed; null for nothing. */
function configurationProblem({ baseUrl, apiKey }: Connection, isKeyNeeded: boolean): string | null {
  if (!/^https?:\/\/[^\s/]+/.test(baseUrl)) return 'baseUrl must be an http or https URL';
  const isKey = !isKeyNeeded || /^[\x21-\x7e]+$/.test(apiKey);
  return isKey ? null : 'apiKey must be the key of an account: rb_live_…';
}

/** The input cannot be serialized as JSON: it is circular, or contains a bigint. */
function notSendable(thrown: unknown): ClientError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'NOT_SENT', message: `The call could not be made: ${reason}`, status: null };
}

function neverThrowing(onProblem: OnProblem | undefined): OnProblem {
  return (error, call) => {
    try {
      onProblem?.(error, call);
    } catch {
      // the caller's own hook failed, so there is nobody left to notify
    }
  };
}
