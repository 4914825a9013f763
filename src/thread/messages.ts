import type { DeliveryAnswer, DeliveryJob } from '../core/delivery.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { CacheSizes } from '../storage/sqlite/cache.ts';

/** The data that the thread starts with. */
export interface ThreadData {
  databaseUrl: string;
  /** The memory of the write lock that the threads share. */
  lockMemory: SharedArrayBuffer;
  caches?: CacheSizes | undefined;
}

/** To the thread: deliveries that arrived together, or the end. */
export type ToThread = PackedDeliveries | 'close';

/** A delivery, with the number that the thread's answer will carry. */
export interface NumberedJob {
  number: number;
  job: DeliveryJob;
}

/** Deliveries with their bodies concatenated in one buffer, which is transferred instead of copied. */
export interface PackedDeliveries {
  heads: readonly Head[];
  bodies: ArrayBuffer;
}

interface Head extends Omit<DeliveryJob, 'received'> {
  number: number;
  received: Omit<DeliveryJob['received'], 'body'>;
  bodyLength: number;
}

/** From the thread: first that it is ready, then the results of deliveries. */
export type FromThread = 'ready' | readonly Settled[];

export type Settled = { number: number } & (
  | { answer: DeliveryAnswer; error: null }
  | { answer: null; error: CopiedError }
);

/** Copies the bodies, because the caller's may be slices of larger buffers. Transfer `bodies` with the message. */
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

/** Reverses `packDeliveries`; the bodies are slices of one buffer. */
export function unpackDeliveries({ heads, bodies }: PackedDeliveries): NumberedJob[] {
  let end = 0;
  return heads.map(({ number, bodyLength, ...job }) => {
    const body = Buffer.from(bodies, end, bodyLength);
    end += bodyLength;
    return { number, job: { ...job, received: { ...job.received, body } } };
  });
}

/** An error as plain data, because a copy loses its class. */
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

/** Reverses `copyError`, as far as answers and logs need it. */
export function errorFrom({ code, message, stack, retryAfterSeconds, cause }: CopiedError): Error {
  if (code === null) return Object.assign(new Error(message), { stack });
  return new ServiceError(code, message, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  });
}
