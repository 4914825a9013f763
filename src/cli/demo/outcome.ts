import { isoTime } from '../../core/time.ts';
import type { EntryResource } from '../../ledger/schemas.ts';
import type { SaleResource } from '../../payments/resources/sale-schemas.ts';
import type { PartnerKey } from './furnish.ts';
import type { Step } from './performance.ts';
import type { Stage } from './stage.ts';
import { EXPECTED_SALES } from './stories.ts';
import type { ExpectedSale } from './story.ts';

/** A sale as the service returns it, in the terms of the story. */
export interface DemoSale extends Omit<ExpectedSale, 'partner'> {
  id: string;
  processor: string;
  /** Null for a partner who is not part of the story. */
  partner: PartnerKey | null;
  /** The reason given by the decisive attribution step. */
  reason: string;
}

/** A partner's totals in one currency, in minor units. */
export interface DemoTotal {
  partner: PartnerKey;
  currency: string;
  earned: number;
  reversed: number;
  held: number;
  /** earned − reversed − held: the sum of the ledger. */
  balance: number;
}

export interface DemoOutcome {
  sales: DemoSale[];
  partners: DemoTotal[];
  /** Differences from the expected outcome; empty if there are none. */
  problems: string[];
}

/** Reads the outcome over HTTP and compares it with the expected one. */
export async function outcomeOf(stage: Stage, steps: readonly Step[]): Promise<DemoOutcome> {
  const sales = await listed<SaleResource>(stage, 'sales');
  const entries = await listed<EntryResource>(stage, 'ledger');
  const shown = EXPECTED_SALES.flatMap(({ invoiceId, customer }) => {
    const sale = sales.find((candidate) => candidate.invoiceId === invoiceId);
    return sale === undefined ? [] : [asDemoSale(sale, customer, entries, stage)];
  });
  const partners = totalsOf(entries, stage);
  const problems = [
    ...steps
      .filter(({ came, expected }) => came !== expected)
      .map(({ actor, what, came, expected }) => `${actor}, ${what}: ${came} instead of ${expected}`),
    ...EXPECTED_SALES.flatMap((expected) => differences(expected, shown)),
    ...(sales.length === EXPECTED_SALES.length
      ? []
      : [`there are ${sales.length} sales instead of ${EXPECTED_SALES.length}`]),
    ...totalProblems(partners),
  ];
  return { sales: shown, partners, problems };
}

/** What was recorded since the story began. */
async function listed<Resource>({ url, apiKey, openedAt }: Stage, list: string): Promise<Resource[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/api/${list}?limit=100&from=${isoTime(openedAt)}`, { headers });
  if (response.status !== 200) throw new Error(`/api/${list} answered ${response.status}`);
  return ((await response.json()) as { data: Resource[] }).data;
}

function asDemoSale(sale: SaleResource, customer: string, entries: readonly EntryResource[], stage: Stage): DemoSale {
  const { matchedBy, steps } = sale.attribution;
  return {
    id: sale.id,
    invoiceId: sale.invoiceId ?? '',
    processor: sale.paymentProcessor,
    customer,
    partner: partnerOf(stage, sale.partnerId),
    matchedBy,
    reason: steps.find(({ step, result }) => step === matchedBy && result === 'matched')?.reason ?? '',
    amount: sale.amount,
    currency: sale.currency,
    commission: sale.commissionAmount,
    reversed: sale.reversedCommissionAmount,
    held: heldOf(entries.filter(({ saleId }) => saleId === sale.id)),
    status: sale.status,
  };
}

function differences(expected: ExpectedSale, shown: readonly DemoSale[]): string[] {
  const sale = shown.find(({ invoiceId }) => invoiceId === expected.invoiceId);
  if (sale === undefined) return [`${expected.invoiceId} (${expected.customer}) is not a sale`];
  return (Object.keys(expected) as (keyof ExpectedSale)[])
    .filter((member) => sale[member] !== expected[member])
    .map((member) => `${expected.invoiceId}: ${member} is ${sale[member]} instead of ${expected[member]}`);
}

function totalsOf(entries: readonly EntryResource[], stage: Stage): DemoTotal[] {
  const groups = Map.groupBy(entries, ({ partnerId, currency }) => `${partnerId} ${currency}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      const partner = first && partnerOf(stage, first.partnerId);
      if (!first || !partner) return [];
      const earned = sumOf(group, 'commission');
      const reversed = -sumOf(group, 'reversal');
      const balance = group.reduce((sum, { amount }) => sum + amount, 0);
      return [{ partner, currency: first.currency, earned, reversed, held: heldOf(group), balance }];
    })
    .sort((a, b) => a.partner.localeCompare(b.partner) || b.currency.localeCompare(a.currency));
}

/** Differences between the ledger's balances and those of the expected sales. */
function totalProblems(totals: readonly DemoTotal[]): string[] {
  const expected = Map.groupBy(EXPECTED_SALES, ({ partner, currency }) => `${partner} ${currency}`);
  return [...expected].flatMap(([name, sales]) => {
    const sum = sales.reduce((total, { commission, reversed, held }) => total + commission - reversed - held, 0);
    const balance = totals.find(({ partner, currency }) => `${partner} ${currency}` === name)?.balance;
    return balance === sum ? [] : [`the ledger balance of ${name} is ${balance} instead of ${sum}`];
  });
}

function sumOf(entries: readonly EntryResource[], ...kinds: string[]): number {
  return entries.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amount }) => sum + amount, 0);
}

function heldOf(entries: readonly EntryResource[]): number {
  return 0 - sumOf(entries, 'dispute_hold', 'dispute_release');
}

function partnerOf({ partnerIds }: Stage, id: string): PartnerKey | null {
  return (Object.keys(partnerIds) as PartnerKey[]).find((key) => partnerIds[key] === id) ?? null;
}
