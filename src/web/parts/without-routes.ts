/** What the service says, without what only callers of the API need: `(in the API: POST /api/payouts/run)`. */
export function withoutRoutes(text: string): string {
  return text.replaceAll(/ \(in the API: [^)]*\)/g, '');
}
