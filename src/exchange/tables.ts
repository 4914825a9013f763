/** A table whose rows belong to an account by an index of `account_id` and `id`. */
export type ParentTable =
  | 'programs'
  | 'partners'
  | 'links'
  | 'operators'
  | 'payouts'
  | 'payout_files'
  | 'event_endpoints';

/** How the rows of a table belong to an account. */
export type Scope =
  /** By the column `account_id`, which an index finds. */
  | { by: 'account' }
  /** By the column `account_id`, which no index begins with (ADR 0011): the rows of all accounts are scanned. */
  | { by: 'account, unindexed' }
  /** By the account of a row in one of the tables; `column`, the first of the key, holds that row's id. */
  | { by: 'parent'; tables: readonly ParentTable[]; column: string }
  /** The row of the account itself. */
  | { by: 'itself' };

/** A table with rows of accounts, as it is exported. */
export interface ExchangedTable {
  name: string;
  scope: Scope;
  /** Orders the rows of an account: the columns of an index, each with the value before the first row. */
  key: Readonly<Record<string, '' | number>>;
  /** At most this many rows are in memory. */
  pageRows: number;
  /** The column that may hold megabytes, such as a webhook's body: a page ends before it holds too many of them. */
  largeColumn: string | null;
}

const PAGE_ROWS = 500;
const BEFORE_ANY_NUMBER = -1;

const table = (
  name: string,
  scope: Scope,
  key: ExchangedTable['key'],
  { pageRows = PAGE_ROWS, largeColumn = null }: Partial<ExchangedTable> = {},
): ExchangedTable => ({ name, scope, key, pageRows, largeColumn });
const OWN: Scope = { by: 'account' };
const UNINDEXED: Scope = { by: 'account, unindexed' };
const of = (parent: ParentTable, column: string): Scope => ({ by: 'parent', tables: [parent], column });
const ID = { id: '' } as const;

/** Every table that holds rows of an account; each after the tables that its rows refer to. */
export const TABLES: readonly ExchangedTable[] = [
  table('accounts', { by: 'itself' }, ID),
  table('programs', OWN, ID),
  table('program_origins', of('programs', 'program_id'), { program_id: '', origin: '' }),
  table('partners', OWN, ID),
  table('partner_discount_codes', OWN, { code_lower: '' }),
  table('links', OWN, ID),
  table('link_holders', of('links', 'link_id'), { link_id: '', partner_id: '' }),
  table('link_external_ids', OWN, { external_id: '' }),
  table('link_clicks', of('links', 'link_id'), { link_id: '', hour: BEFORE_ANY_NUMBER }),
  table('clicks', UNINDEXED, ID),
  table('api_keys', OWN, ID),
  table('embed_tokens', UNINDEXED, { hash: '' }),
  table('portal_codes', UNINDEXED, { hash: '' }),
  table('operators', OWN, ID),
  table('operator_identities', of('operators', 'operator_id'), { operator_id: '', issuer: '' }),
  table('operator_sessions', OWN, ID),
  table('sign_in_codes', of('operators', 'operator_id'), { operator_id: '', hash: '' }),
  table('webhook_endpoints', OWN, ID),
  table('webhook_refusals', OWN, { endpoint_id: '', kind: '' }),
  table('customers', OWN, ID),
  table('leads', OWN, ID),
  table('identities', OWN, { processor: '', kind: '', value: '' }),
  table('payments', UNINDEXED, ID),
  table('payment_references', OWN, { value: '', processor: '' }),
  table('parked_hints', OWN, { kind: '', value: '', payment_id: '' }),
  table('refunds', OWN, { processor: '', refund_key: '' }),
  table('disputes', OWN, { processor: '', dispute_id: '' }),
  table('sales', OWN, ID),
  table('ledger_entries', OWN, ID),
  table('open_entries', of('partners', 'partner_id'), {
    partner_id: '',
    currency: '',
    due_at: BEFORE_ANY_NUMBER,
    entry_id: '',
  }),
  table('ledger_days', of('partners', 'partner_id'), {
    partner_id: '',
    currency: '',
    day: BEFORE_ANY_NUMBER,
    due_day: BEFORE_ANY_NUMBER,
  }),
  table('payouts', OWN, ID),
  table('payout_entries', of('payouts', 'payout_id'), { payout_id: '', entry_id: '' }),
  table('payout_days', of('payouts', 'payout_id'), {
    payout_id: '',
    day: BEFORE_ANY_NUMBER,
    due_day: BEFORE_ANY_NUMBER,
  }),
  table('payout_files', OWN, ID, { largeColumn: 'sealed_content' }),
  table('payout_file_rows', of('payout_files', 'file_id'), { file_id: '', payout_id: '' }),
  table('rail_connections', OWN, { rail: '' }),
  table('payout_transfers', OWN, { payout_id: '' }),
  table('deliveries', OWN, ID, { largeColumn: 'body' }),
  table(
    'result_days',
    // every program's id sorts before every partner's
    { by: 'parent', tables: ['programs', 'partners'], column: 'owner_id' },
    {
      owner_id: '',
      part: '',
      span: BEFORE_ANY_NUMBER,
      day: BEFORE_ANY_NUMBER,
      currency: '',
    },
  ),
  table('event_endpoints', OWN, ID),
  table('events', OWN, ID, { pageRows: 100 }),
  table('event_deliveries', of('event_endpoints', 'endpoint_id'), { endpoint_id: '', event_id: '' }),
  table('event_attempts', of('event_endpoints', 'endpoint_id'), {
    endpoint_id: '',
    event_id: '',
    number: BEFORE_ANY_NUMBER,
  }),
  table('event_approvals', OWN, { sale_id: '' }),
  table('audit_log', OWN, ID, { pageRows: 100 }),
  table('imported_records', OWN, { source: '', kind: '', source_id: '' }),
  table('erasure_marks', OWN, { mark: '' }),
  table('job_cursors', OWN, { job: '' }),
];

/** Tables whose ids are unique across all accounts; other ids are looked up together with the account. */
export const IDENTIFIED_TABLES = [
  'programs',
  'partners',
  'links',
  'clicks',
  'operators',
  'webhook_endpoints',
  'customers',
  'payments',
  'payouts',
  'payout_files',
  'event_endpoints',
] as const;

export type IdentifiedTable = (typeof IDENTIFIED_TABLES)[number];

/** Columns that hold such an id, in any table, each with the tables that the id may belong to. */
export const NAMING_COLUMNS: Readonly<Record<string, readonly IdentifiedTable[]>> = {
  program_id: ['programs'],
  partner_id: ['partners'],
  owner_id: ['partners', 'programs'],
  link_id: ['links'],
  click_id: ['clicks'],
  operator_id: ['operators'],
  endpoint_id: ['webhook_endpoints', 'event_endpoints'],
  customer_id: ['customers'],
  payment_id: ['payments'],
  joined_to: ['payments'],
  payout_id: ['payouts'],
  file_id: ['payout_files'],
};

/** Tables that belong to the whole service and its work, each with the reason why an export leaves it out. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migrations: 'the target has its own; both must have the same schema version',
  rate_limits: 'the requests of the last minute',
  imports: 'what the server imported by itself; the rows that it stored are exported',
  import_parts: 'files of imports that have not ended',
  exports: 'who may download an export from this service',
  reconciliations: 'what the server compared by itself; the deliveries that it stored are exported',
  reconciliation_items: 'what those comparisons found',
  reconciliation_references: 'what those comparisons found',
  scheduled_runs: 'when this service last ran payouts; payouts themselves are exported',
  visitor_salts: 'secret, and deleted within 48 hours: a visitor of today may count as new once',
};

/**
 * Data that can sign somebody in: tables, and a column of one. The command beside the database exports it, so that a
 * move signs nobody out. A download leaves it out, because anybody with an owner's session or key can download.
 */
export const NOT_DOWNLOADED: Readonly<Record<string, string>> = {
  embed_tokens: 'partners open the portal again',
  portal_codes: 'portal links that were not used yet',
  operator_sessions: 'operators sign in again',
  sign_in_codes: 'sign-in addresses that were not used yet',
  'operators.password': 'operators sign in with a new address, and set a password again',
};

/** In `job_cursors`: which export an account was imported from. It is not exported. */
export const IMPORT_JOB = 'import';
