/**
 * Every column of the schema, by table: personal data, which is erased with the person, and what is kept. A new column
 * belongs to one of the two; for personal data, `erasure.test.ts` must see the column emptied.
 */
export interface TableColumns {
  /** Column names, separated by spaces. */
  personal?: string;
  kept?: string;
}

/** The data of customers, visitors and partners. */
export const COLUMNS: Readonly<Record<string, TableColumns>> = {
  schema_migrations: { kept: 'version name checksum applied_at' },
  accounts: { kept: 'id name created_at' },
  programs: {
    kept:
      'id account_id name description commission duration_months hold_days minimum_payout amount_basis email_matching ' +
      'self_referral tracked_hosts portal created_at default_url dead_link_url click_parameters ' +
      'via_parameters archived_at deleted_at',
  },
  program_origins: { kept: 'program_id origin' },
  partners: {
    personal: 'name email payout_details sealed_payout_details',
    kept: 'id account_id program_id tenant_id commission status created_at archived_at deleted_at',
  },
  partner_discount_codes: { kept: 'account_id code_lower code partner_id' },
  links: { kept: 'id account_id program_id partner_id domain key url commission created_at archived_at deleted_at' },
  link_external_ids: { kept: 'account_id external_id link_id' },
  clicks: { personal: 'referrer_host device country visitor_hash', kept: 'id account_id link_id created_at' },
  api_keys: {
    kept: 'id account_id name hash prefix last_four rate_limit_per_minute created_at last_used_at revoked_at scope',
  },
  embed_tokens: { kept: 'hash account_id program_id partner_id created_at expires_at issued_by' },
  webhook_endpoints: {
    kept: 'id account_id program_id processor sealed_secrets last_delivery_at created_at deleted_at settings secret_counts',
  },
  webhook_refusals: {
    kept: 'account_id endpoint_id kind cause reason event_type header_names refusal_count first_refused_at last_refused_at',
  },
  customers: {
    personal: 'email email_lower name avatar',
    kept: 'id account_id external_id click_id link_id partner_id program_id created_at erased_at',
  },
  leads: {
    personal: 'metadata',
    kept: 'id account_id customer_id event_name click_id link_id partner_id created_at',
  },
  identities: {
    personal: 'email_lower name',
    kept: 'account_id processor kind value external_id click_id customer_id discount_codes',
  },
  payments: {
    personal: 'fact steps',
    kept: 'id account_id processor state sale_id joined_to delivery_id occurred_at expires_at created_at',
  },
  payment_references: { kept: 'account_id processor value payment_id' },
  // the values include addresses
  parked_hints: { personal: 'value', kept: 'account_id kind payment_id' },
  refunds: {
    kept:
      'account_id processor refund_key payment_id kind amount currency failed delivery_id occurred_at created_at ' +
      'commissionable lines by_share refunded_at failed_at charge_id released',
  },
  disputes: {
    kept: 'account_id processor dispute_id payment_id amount currency state delivery_id occurred_at created_at',
  },
  payouts: {
    kept:
      'id account_id program_id partner_id currency status amount entry_count created_at processing_at paid_at ended_at ' +
      'ended_by note processing_by collecting_at collected_amount collected_count settling_after',
  },
  payout_files: {
    personal: 'sealed_content',
    kept: 'id account_id rail currency payout_count amount content_type file_name created_at created_by canceled_at',
  },
  payout_file_rows: { kept: 'file_id payout_id live' },
  payout_transfers: {
    personal: 'destination problem',
    kept:
      'payout_id account_id rail platform_id is_live amount currency status transfer_id hindrance created_at created_by attempts ' +
      'first_attempt_at first_attempt_rail_at due_at leased_by leased_until ended_at',
  },
  rail_connections: {
    kept: 'id account_id rail platform_id platform_name is_live api_url sealed_secrets created_at created_by',
  },
  rate_limits: { kept: 'key points expire' },
  scheduled_runs: { kept: 'period started_at finished_at' },
  link_clicks: { kept: 'link_id hour clicks' },
  visitor_salts: { kept: 'day salt created_at' },
  deliveries: {
    personal: 'headers body reason',
    kept:
      'id account_id endpoint_id processor delivery_key event_type status outcome sale_id attempts ' +
      'next_attempt_at received_at is_read_back',
  },
  sales: {
    personal: 'steps metadata',
    kept:
      'id account_id program_id partner_id link_id click_id customer_id payment_id event_name invoice_id ' +
      'payment_processor amount gross_amount currency presentment_amount presentment_currency commission_amount terms ' +
      'available_at refunded_amount disputed_open voided_reason review matched_by occurred_at created_at is_bare ' +
      'paid_lines stated_at',
  },
  ledger_entries: {
    kept: 'id account_id partner_id sale_id kind amount currency reason available_at created_at',
  },
  payout_entries: { kept: 'payout_id account_id entry_id live sale_id' },
  link_holders: { kept: 'link_id partner_id' },
  open_entries: { kept: 'partner_id currency due_at entry_id account_id sale_id kind amount created_at' },
  ledger_days: { kept: 'partner_id currency day due_day earned reversed in_payouts paid' },
  result_days: { kept: 'owner_id part span day currency clicks leads sales revenue commission' },
  payout_days: { kept: 'payout_id day due_day amount' },
  job_cursors: { kept: 'job account_id last_id restart_id' },
  // operators are staff: removing one deletes the row
  operators: { kept: 'id account_id name email own_email_at role password created_at last_seen_at' },
  sign_in_codes: { kept: 'hash operator_id purpose created_at expires_at used_at' },
  operator_identities: { kept: 'operator_id issuer subject created_at' },
  operator_sessions: {
    kept: 'id account_id operator_id hash opened_by user_agent created_at last_seen_at expires_at',
  },
  audit_log: { personal: 'changes actor_name', kept: 'id account_id actor_id action resource_id created_at' },
  portal_codes: { kept: 'hash account_id program_id partner_id created_at expires_at used_at' },
  event_endpoints: {
    kept:
      'id account_id kind url description types sealed_secrets status disabled_reason disabled_at created_at failures ' +
      'failing_since paused_until last_success_at leased_by leased_until seen_at approvals_after',
  },
  events: { personal: 'body', kept: 'id account_id type created_at' },
  event_deliveries: {
    kept:
      'endpoint_id event_id account_id status attempts tries next_attempt_at attempted_at response_status error ' +
      'delivered_at occurred_at',
  },
  event_attempts: {
    personal: 'response',
    kept: 'endpoint_id event_id number attempted_at duration_ms response_status error',
  },
  event_approvals: { kept: 'account_id sale_id due_at' },
  imported_records: { kept: 'account_id source kind source_id own_id state amount currency' },
  // nobody can be erased by hand before it has ended; after that, its settings only say what kind of rows it had
  imports: {
    personal: 'problems',
    kept:
      'id account_id source settings sealed_secrets dry_run status file_bytes received_bytes counts error actor_id ' +
      'actor_name attempts created_at changed_at due_at started_at ended_at leased_by leased_until',
  },
  // deleted when their import has ended; nobody can be erased by hand before that
  import_parts: { kept: 'import_id number bytes content' },
  reconciliations: {
    kept:
      'id account_id endpoint_id since dry_run status cursor read_count known_count ignored_count sale_count ' +
      'reversal_count unattributed_count failed_count other_count error failures actor_id actor_name created_at due_at ' +
      'started_at ended_at leased_by leased_until page_count marked_cursor not_read',
  },
  // reasons that may name a person are not stored
  reconciliation_items: {
    kept:
      'reconciliation_id delivery_key position delivery_id event_type occurred_at invoice_id amount currency outcome reason ' +
      'sale_id partner_id commission_amount commission_currency facts customer_id click_id',
  },
  reconciliation_references: { kept: 'reconciliation_id reference delivery_key' },
  exports: {
    kept: 'id account_id actor_id actor_name created_at expires_at download_count downloaded_at row_count',
  },
  erasure_marks: { kept: 'account_id mark created_at' },
};
