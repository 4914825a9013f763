import type { TestApp } from './app.ts';

/** Those of the customers, by external id, who have sales: one entry for each sale, sorted. */
export async function soldTo({ service, accountId }: TestApp, customers: readonly string[]): Promise<string[]> {
  const rows = await service.database.read((tx) =>
    tx.all<{ externalId: string }>(
      `SELECT c.external_id AS "externalId" FROM sales s JOIN customers c ON c.id = s.customer_id
       WHERE s.account_id = @accountId`,
      { accountId },
    ),
  );
  const sold = rows.map(({ externalId }) => externalId).filter((externalId) => customers.includes(externalId));
  return sold.sort();
}
