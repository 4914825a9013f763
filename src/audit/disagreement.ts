/** A difference between a stored row and what the ledger implies. */
export interface Disagreement {
  kind: 'sale' | 'payout' | 'partner';
  id: string;
  message: string;
}
