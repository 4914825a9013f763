/** The prefix of an id. It shows the kind of the id wherever the id appears. */
export type IdPrefix =
  | 'acc'
  | 'prg'
  | 'ptr'
  | 'lnk'
  | 'clk'
  | 'cus'
  | 'led'
  | 'sal'
  | 'ent'
  | 'pay'
  | 'pfl'
  | 'pmt'
  | 'whe'
  | 'dlv'
  | 'key'
  | 'opr'
  | 'ses'
  | 'aud'
  | 'evp'
  | 'evt'
  | 'imp'
  | 'exp'
  | 'rec'
  | 'rcn';

declare const prefixOf: unique symbol;

/**
 * The id of an existing row: a query read it, or `createId` created it. An id in a request is a plain string until a
 * query has found its row.
 */
export type Id<Prefix extends IdPrefix> = string & { readonly [prefixOf]: Prefix };

export type AccountId = Id<'acc'>;
export type ProgramId = Id<'prg'>;
export type PartnerId = Id<'ptr'>;
export type LinkId = Id<'lnk'>;
export type ClickId = Id<'clk'>;
export type CustomerId = Id<'cus'>;
export type LeadId = Id<'led'>;
export type SaleId = Id<'sal'>;
export type EntryId = Id<'ent'>;
export type PayoutId = Id<'pay'>;
export type PayoutFileId = Id<'pfl'>;
export type PaymentId = Id<'pmt'>;
export type EndpointId = Id<'whe'>;
export type DeliveryId = Id<'dlv'>;
export type ApiKeyId = Id<'key'>;
export type OperatorId = Id<'opr'>;
export type EventEndpointId = Id<'evp'>;
export type EventId = Id<'evt'>;
export type ImportId = Id<'imp'>;
export type ExportId = Id<'exp'>;
export type ReconciliationId = Id<'rec'>;
export type RailConnectionId = Id<'rcn'>;
export type SessionId = Id<'ses'>;

/**
 * These sort below and above all ids in every database collation. `~` would not: language collations sort it below
 * letters.
 */
export const FIRST_ID = '';
export const LAST_ID = 'zzzzzzzz';
