import type { Partner, Payout, Sale } from '../../src/client/api-types.ts';
import type { TestApp } from './app.ts';
import type { EventMirror } from './event-mirror.ts';
import { listAll } from './list-all.ts';

/** How the API's lists differ from what a mirror knows; empty when it knows everything. */
export async function differencesFrom(mirror: EventMirror, app: TestApp): Promise<string[]> {
  const found: string[] = [];
  const compare = (what: string, mirrored: object, listed: object) => {
    const [one, other] = [JSON.stringify(mirrored), JSON.stringify(listed)];
    if (one !== other) found.push(`${what}: mirror ${one}, API ${other}`);
  };
  const sales = await listAll<Sale>(app, '/api/sales');
  for (const sale of sales) {
    const shown = mirror.sales.get(sale.id)?.data;
    if (shown === undefined) {
      found.push(`sale missing ${sale.id} ${sale.status}`);
      continue;
    }
    compare('sale', shownOf(shown), shownOf(sale));
    const { commission, reversed } = mirror.commissionOf(sale.id);
    compare(
      'entries',
      { commission, reversed },
      { commission: sale.commissionAmount, reversed: sale.reversedCommissionAmount },
    );
    if (sale.status !== 'paid') compare('status', { status: shown.status }, { status: sale.status });
  }
  compare('sale ids', [...mirror.sales.keys()].sort(), sales.map(({ id }) => id).sort());
  const payouts = await listAll<Payout>(app, '/api/payouts');
  for (const payout of payouts) {
    const shown = mirror.payouts.get(payout.id)?.data;
    compare('payout status', { status: shown?.status }, { status: payout.status });
    const { amount, entryCount } = payout;
    const { partnerId, currency } = payout;
    const known = payout.status === 'queued' ? mirror.openOf(partnerId, currency) : shown;
    compare(
      `payout ${payout.status}`,
      { amount: known?.amount, entryCount: known?.entryCount },
      { amount, entryCount },
    );
  }
  compare('payout ids', [...mirror.payouts.keys()].sort(), payouts.map(({ id }) => id).sort());
  const leads = await listAll<{ id: string }>(app, '/api/leads');
  compare('lead ids', [...mirror.leads.keys()].sort(), leads.map(({ id }) => id).sort());
  const partners = [
    ...(await listAll<Partner>(app, '/api/partners')),
    ...(await listAll<Partner>(app, '/api/partners?archived=true')),
  ];
  compare('partner ids', [...mirror.partners.keys()].sort(), partners.map(({ id }) => id).sort());
  return found;
}

function shownOf(sale: Sale) {
  const { amount, grossAmount, refundedAmount, currency, commissionAmount, reversedCommissionAmount } = sale;
  const { partnerId, linkId, review, note, occurredAt, invoiceId } = sale;
  const money = { amount, grossAmount, refundedAmount, currency, commissionAmount, reversedCommissionAmount };
  return { ...money, partnerId, linkId, review, note, occurredAt, invoiceId };
}
