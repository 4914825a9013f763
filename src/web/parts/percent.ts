/** `0.125` → `12.5%` as the reader's language writes it, with at most two decimals. */
export function formatShare(share: number, language?: string): string {
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(share);
}
