import type { Sale } from '../../src/client/api-types.ts';
import type { ReceivedEvent } from './event-receiver.ts';

/** What is wrong with events about sales, each by itself and after those before it; empty when nothing is. */
export function untrueSaleEvents(received: readonly ReceivedEvent[]): string[] {
  const found: string[] = [];
  const once = new Map(received.map((one) => [one.id, one]));
  const ofSales = [...once.values()].filter(({ event }) => event.type.startsWith('sale.'));
  const sorted = ofSales.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (const events of Map.groupBy(sorted, ({ event }) => event.data.id).values()) {
    let before: Sale | null = null;
    for (const { event, id } of events) {
      const sale = event.data as unknown as Sale;
      if (!isTrue(event.type, sale, before)) {
        found.push(`${id} ${event.type} shows ${JSON.stringify(sale)} after ${JSON.stringify(before)}`);
      }
      before = sale;
    }
  }
  return found;
}

function isTrue(type: string, sale: Sale, before: Sale | null): boolean {
  if (type === 'sale.created') return before === null && sale.refundedAmount === 0;
  if (before === null) return false;
  switch (type) {
    case 'sale.refunded':
      return sale.refundedAmount > before.refundedAmount || (sale.note !== null && before.note === null);
    case 'sale.disputed':
      return ['disputed', 'refunded', 'rejected'].includes(sale.status);
    case 'sale.approved':
      return ['approved', 'paid'].includes(sale.status);
    default:
      // the end of a dispute does not show on a sale whose status ranks above `disputed`
      if (['refunded', 'rejected'].includes(sale.status)) return true;
      return JSON.stringify(withoutTrace(sale)) !== JSON.stringify(withoutTrace(before));
  }
}

const withoutTrace = ({ attribution: _, ...sale }: Sale) => sale;
