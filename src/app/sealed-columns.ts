/** The column of each table whose values are encrypted with `SECRET_KEY`. */
export const SEALED_COLUMNS = {
  webhook_endpoints: 'sealed_secrets',
  event_endpoints: 'sealed_secrets',
  partners: 'sealed_payout_details',
  payout_files: 'sealed_content',
  rail_connections: 'sealed_secrets',
  imports: 'sealed_secrets',
} as const;

export type SealedTable = keyof typeof SEALED_COLUMNS;
