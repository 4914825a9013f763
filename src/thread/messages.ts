import { type ErrorCode, ServiceError } from '../errors.ts';
import type { DeliveryAnswer, DeliveryJob } from '../tracking/store-delivery.ts';

/** What the thread is started with. */
export interface ThreadData {
  databaseUrl: string;
  turns: SharedArrayBuffer;
}

/** To the thread: deliveries that came in together; or that nothing more will come. */
export type ToThread = readonly { number: number; job: DeliveryJob }[] | 'close';

/** From the thread: once that it is ready, then what became of deliveries. */
export type FromThread = 'ready' | readonly Settled[];

export type Settled = { number: number } & (
  | { answer: DeliveryAnswer; error: null }
  | { answer: null; error: CopiedError }
);

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
