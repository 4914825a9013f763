import { formatMoney } from '../../core/money.ts';
import { PROCESSORS } from '../../core/processor.ts';
import { formatTable } from '../terminal/table.ts';
import type { DemoOutcome } from './outcome.ts';
import { BROWSER, type Step } from './performance.ts';
import type { Stage } from './stage.ts';

const ACTOR_WIDTH = Math.max(...PROCESSORS.map((processor) => processor.length));
const WHAT_WIDTH = 52;

export function stepLine({ actor, what, came, expected, ms }: Step): string {
  const line = `${actor.padEnd(ACTOR_WIDTH)}  ${what.padEnd(WHAT_WIDTH)}  ${came} (${ms} ms)`;
  return came === expected ? line : `${line}  expected ${expected}`;
}

/** Who earned what, and why. */
export function formatOutcome({ sales, partners, problems }: DemoOutcome): string {
  const saleRows = sales.map(({ processor, customer, partner, matchedBy, amount, currency, ...sale }) => [
    processor,
    customer,
    partner,
    formatMoney(amount, currency),
    formatMoney(sale.commission, currency),
    formatMoney(sale.reversed, currency),
    sale.status,
    matchedBy,
    // The ids after the colon are in the JSON output.
    sale.reason.split(': ')[0] ?? '',
  ]);
  const totalRows = partners.map(({ partner, currency, earned, reversed, held, balance }) => [
    partner,
    ...[earned, reversed, held, balance].map((amount) => formatMoney(amount, currency)),
  ]);
  const ending = problems.length === 0 ? 'Everything is as expected.' : `Not as expected:\n  ${problems.join('\n  ')}`;
  return [
    formatTable(
      ['processor', 'customer', 'partner', 'amount', 'commission', 'reversed', 'state', 'matched by', 'because'],
      saleRows,
    ),
    formatTable(['partner', 'earned', 'reversed', 'held', 'balance'], totalRows),
    ending,
  ].join('\n\n');
}

/** Commands to try with the server, which keeps running. */
export function playOn({ url, apiKey }: Stage, { signInUrl, shopUrl }: { signInUrl: string; shopUrl: string }): string {
  return `The server keeps running at ${url} until Ctrl-C; then its database is deleted. See it in the dashboard:

  ${signInUrl}

The address works once. A shop with Ana's portal in its page, where you follow her link and buy:

  ${shopUrl}

In another terminal:

  export KEY=${apiKey}
  curl -si ${url}/ana -A '${BROWSER}' | grep -i location  # without -A, curl counts as a bot
  curl -s ${url}/api/track/lead -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '{"clickId":"<svc_id of the location>","eventName":"Sign up","customerExternalId":"user_1"}'
  curl -s ${url}/api/track/sale -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '{"clickId":"<the same>","customerExternalId":"user_1","amount":4900,"invoiceId":"invoice-1"}'
  curl -s ${url}/api/sales -H "Authorization: Bearer $KEY"`;
}
