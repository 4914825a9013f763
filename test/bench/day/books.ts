import type { Database } from '../../../src/storage/database.ts';

/** What was acknowledged, under the senders' own names. */
export interface Books {
  clicks: Set<string>;
  leads: Set<string>;
  invoices: Set<string>;
  /** Invoices whose refund was acknowledged. */
  refunds: Set<string>;
}

export type Subject = keyof Books;

export function emptyBooks(): Books {
  return { clicks: new Set(), leads: new Set(), invoices: new Set(), refunds: new Set() };
}

export interface Comparison {
  subject: Subject;
  acknowledged: number;
  stored: number;
  /** Acknowledged but not stored. */
  lost: number;
  /** Stored more than once. */
  doubled: number;
}

/**
 * How each kind is stored, one row per item, named by its sender's id: a sale by its invoice, a reversal by its sale's
 * invoice.
 */
const STORED: Record<Subject, string> = {
  clicks: 'SELECT id AS name FROM clicks',
  leads: 'SELECT c.external_id AS name FROM leads l JOIN customers c ON c.id = l.customer_id',
  // the commission must be stored, too, not only the sale
  invoices: `SELECT s.invoice_id AS name FROM sales s JOIN ledger_entries e ON e.sale_id = s.id WHERE e.kind = 'commission'`,
  refunds: `SELECT s.invoice_id AS name FROM sales s JOIN ledger_entries e ON e.sale_id = s.id WHERE e.kind = 'reversal'`,
};

/** Compares what was acknowledged with what is stored. Call it after the last write. */
export async function compare(database: Database, books: Books): Promise<Comparison[]> {
  const subjects = Object.keys(STORED) as Subject[];
  return Promise.all(
    subjects.map(async (subject) => {
      const rows = await database.snapshot((tx) => tx.all<{ name: string }>(STORED[subject]));
      const names = new Set(rows.map(({ name }) => name));
      const lost = [...books[subject]].filter((name) => !names.has(name)).length;
      const acknowledged = books[subject].size;
      return { subject, acknowledged, stored: rows.length, lost, doubled: rows.length - names.size };
    }),
  );
}
