import { createHash } from 'node:crypto';
import { minorToDecimal } from '../core/money.ts';
import type { StatementHead } from './queries/statement.ts';
import type { Statement, StatementLine } from './statement-lines.ts';
import { StatementTotals } from './statement-totals.ts';
import { ENTRY_WORDS } from './statement-words.ts';

const STYLE = `
:root { color-scheme: light dark; --page: #f4f4f5; --sheet: #fff; --text: #18181b; --quiet: #57575f; --line: #e4e4e7; }
@media (prefers-color-scheme: dark) {
  :root { --page: #101012; --sheet: #18181b; --text: #fafafa; --quiet: #a6a6b0; --line: #333339; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--page); color: var(--text);
  font: .875rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
main { max-width: 52rem; margin: 0 auto; padding: 2.5rem; border-radius: .5rem; background: var(--sheet); }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 2rem; align-items: baseline; }
h1 { margin: 0; font-size: 1.375rem; font-weight: 650; letter-spacing: -.01em; }
h2 { margin: 2rem 0 .5rem; font-size: .9375rem; font-weight: 600; }
.sum { margin: 0; font-size: 1.375rem; font-weight: 650; }
.quiet, th, dt { color: var(--quiet); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: .875rem 2rem; margin: 1.5rem 0 0; }
dt { font-size: .8125rem; }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4375rem .75rem .4375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
thead th { font-size: .8125rem; border-bottom-color: var(--quiet); }
td.date, .figure { white-space: nowrap; }
.figure { text-align: right; }
th:last-child, td:last-child { padding-right: 0; }
.totals { max-width: 26rem; margin-left: auto; }
.total td, .total th { border-bottom: 0; color: inherit; font-weight: 650; }
footer { margin-top: 1.5rem; font-size: .75rem; }
@media screen and (max-width: 40rem) {
  body { padding: 0; }
  main { padding: 1.25rem; border-radius: 0; }
  .entries thead { position: absolute; clip-path: inset(50%); }
  .entries tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: 1rem; padding: .5rem 0;
    border-bottom: 1px solid var(--line); }
  .entries td { padding: 0; border: 0; }
  .entries td:nth-child(2) { grid-area: 1 / 1; }
  .entries td:nth-child(5) { grid-area: 1 / 2; }
  .entries td:nth-child(1) { grid-area: 2 / 1; color: var(--quiet); }
  .entries td:nth-child(4) { grid-area: 2 / 2; }
  .entries td:nth-child(3) { grid-area: 3 / 1 / auto / span 2; color: var(--quiet); }
}
@page { size: A4; margin: 18mm 16mm; }
@media print {
  :root { color-scheme: light; --page: #fff; --sheet: #fff; --text: #000; --quiet: #555; --line: #ccc; }
  body { padding: 0; font-size: 9.5pt; }
  main { max-width: none; padding: 0; }
  thead { display: table-header-group; }
  tr, .totals, footer { break-inside: avoid; }
  h2 { break-after: avoid; }
}
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** No script may run, nothing may be loaded, and no page may frame the statement. */
export const STATEMENT_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

/** The statement as a page to read and to print on A4, with times in UTC. Yields one chunk per page of entries. */
export async function* statementPage({ head, pages }: Statement): AsyncGenerator<string> {
  const totals = new StatementTotals();
  yield beginning(head);
  for await (const lines of pages) {
    totals.add(lines);
    yield lines.map((line) => row(line, head)).join('');
  }
  yield end(head, totals);
}

function beginning(head: StatementHead): string {
  const { id, programName, partnerName, partnerEmail, currency, amount, entryCount } = head;
  const facts = [
    ['From', programName],
    ['To', `${partnerName}, ${partnerEmail}`],
    ['Payout', id],
    ['State', stateOf(head)],
    ['Earned', periodOf(head)],
    ['Entries', grouped(String(entryCount))],
  ];
  const code = currency.toUpperCase();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Statement ${escapeHtml(id)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header><h1>Payout statement</h1><p class="sum">${money(amount, currency)} ${code}</p></header>
<dl>${facts.map(([name = '', value = '']) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>
<h2>What it pays</h2>
<table class="entries">
<thead><tr><th scope="col">Date</th><th scope="col">For</th><th scope="col">Customer</th>\
<th scope="col" class="figure">Sale</th><th scope="col" class="figure">Amount (${code})</th></tr></thead>
<tbody>
`;
}

function row({ createdAt, what, soldAt, customer, saleAmount, amount }: StatementLine, head: StatementHead): string {
  const isLater = soldAt !== null && day(soldAt) !== day(createdAt);
  const sale = isLater ? ` <span class="quiet">(sale of ${day(soldAt)})</span>` : '';
  const base = saleAmount === null ? '' : money(saleAmount, head.currency);
  return `<tr><td class="date">${day(createdAt)}</td><td>${escapeHtml(what)}${sale}</td>\
<td>${escapeHtml(customer ?? '')}</td><td class="figure quiet">${base}</td>\
<td class="figure">${money(amount, head.currency)}</td></tr>
`;
}

function end({ currency, amount }: StatementHead, totals: StatementTotals): string {
  const sums = totals.byKind().map(
    ({ kind, count, amount: sum }) =>
      `<tr><th scope="row">${ENTRY_WORDS[kind]}</th><td class="figure quiet">${grouped(String(count))} ${count === 1 ? 'entry' : 'entries'}</td>\
<td class="figure">${money(sum, currency)}</td></tr>`,
  );
  return `</tbody>
</table>
<section class="totals">
<h2>Totals</h2>
<table>
<tbody>
${sums.join('\n')}
<tr class="total"><th scope="row" colspan="2">Total</th><td class="figure">${money(amount, currency)} ${currency.toUpperCase()}</td></tr>
</tbody>
</table>
</section>
<footer class="quiet">Dates are in UTC.</footer>
</main>
</body>
</html>
`;
}

function stateOf({ paidAt, processingAt }: StatementHead): string {
  if (paidAt !== null) return `Paid on ${day(paidAt)}`;
  return processingAt === null ? 'On its way' : `On its way since ${day(processingAt)}`;
}

function periodOf({ firstAt, lastAt }: StatementHead): string {
  if (firstAt === null || lastAt === null) return '–';
  const [first, last] = [day(firstAt), day(lastAt)];
  return first === last ? first : `${first} – ${last}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** `3 Sept 2026`, in UTC. Not by `Intl`, whose data takes 9 MB. */
function day(time: number): string {
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** Formats an amount: `-1234567, 'usd'` → `−12,345.67`. */
function money(amount: number | bigint, currency: string): string {
  return grouped(minorToDecimal(amount, currency)).replace('-', '−');
}

function grouped(decimal: string): string {
  return decimal.replace(/^(-?\d+)/, (whole) => whole.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ','));
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
