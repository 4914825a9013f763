export * from './api-errors.ts';
export type { ApiMethods } from './api-methods.ts';
export type * as Api from './api-types.ts';
export type { CallOptions } from './call-options.ts';
export { clickIdFromRequest, type RequestLike } from './click-id.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type EmbedTokenResult,
  type RefundResult,
  type SaleResult,
  type TrackResult,
} from './client.ts';
export type { Listing } from './listing.ts';
export type { QueueStore } from './queue-store.ts';
export type { OnProblem, QueuedCall } from './queued-call.ts';
export {
  NotConfiguredError,
  RefbridgeError,
  TimeoutError,
  UnexpectedAnswerError,
  UnreachableError,
} from './refbridge-error.ts';
export type { ClientError } from './send.ts';
export type {
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
