import type { DeliveryAnswer, DeliveryJob } from '../core/delivery.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';

/** What the thread is started with. */
export interface ThreadData {
  databaseUrl: string;
  /** Of the write lock that both threads share. */
  lockMemory: SharedArrayBuffer;
}

/** To the thread: deliveries that came in together; or that nothing more will come. */
export type ToThread = PackedDeliveries | 'close';

/** A delivery on its way to the thread and back, by its number. */
export interface NumberedJob {
  number: number;
  job: DeliveryJob;
}

/** Deliveries whose bodies lie one behind the other in one memory, which changes hands instead of being copied. */
export interface PackedDeliveries {
  heads: readonly Head[];
  bodies: ArrayBuffer;
}

interface Head extends Omit<DeliveryJob, 'received'> {
  number: number;
  received: Omit<DeliveryJob['received'], 'body'>;
  bodyLength: number;
}

/** From the thread: once that it is ready, then what became of deliveries. */
export type FromThread = 'ready' | readonly Settled[];

export type Settled = { number: number } & (
  | { answer: DeliveryAnswer; error: null }
  | { answer: null; error: CopiedError }
);

/** The bodies are copied: the caller's may be slices of larger memory. `bodies` is to be transferred. */
export function packDeliveries(deliveries: readonly NumberedJob[]): PackedDeliveries {
  const bodies = new Uint8Array(deliveries.reduce((sum, { job }) => sum + job.received.body.length, 0));
  let end = 0;
  const heads = deliveries.map(({ number, job }) => {
    const { body, ...received } = job.received;
    bodies.set(body, end);
    end += body.length;
    return { ...job, number, received, bodyLength: body.length };
  });
  return { heads, bodies: bodies.buffer };
}

/** What `packDeliveries` was given; the bodies share one memory. */
export function unpackDeliveries({ heads, bodies }: PackedDeliveries): NumberedJob[] {
  let end = 0;
  return heads.map(({ number, bodyLength, ...job }) => {
    const body = Buffer.from(bodies, end, bodyLength);
    end += bodyLength;
    return { number, job: { ...job, received: { ...job.received, body } } };
  });
}

/** An error without its class, which does not survive being copied. */
export interface CopiedError {
  code: ErrorCode | null;
  message: string;
  stack: string | undefined;
  retryAfterSeconds: number | undefined;
  cause: string | undefined;
}

export function copyError(error: unknown): CopiedError {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof ServiceError ? error : null;
  return {
    code: known?.code ?? null,
    message,
    stack,
    retryAfterSeconds: known?.retryAfterSeconds,
    cause: cause instanceof Error ? cause.message : undefined,
  };
}

/** What `copyError` was given, as far as it matters to whoever answers or logs it. */
export function errorFrom({ code, message, stack, retryAfterSeconds, cause }: CopiedError): Error {
  if (code === null) return Object.assign(new Error(message), { stack });
  return new ServiceError(code, message, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  });
}
