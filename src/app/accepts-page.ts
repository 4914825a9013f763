import type { IncomingHttpHeaders } from 'node:http';

/** True for a browser that opens an address. Browsers name `text/html`; `fetch` and command-line tools accept anything. */
export function acceptsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return /\btext\/html\b/i.test(accept);
}
