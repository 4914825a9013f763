import { expect } from 'vitest';
import type { Cast } from './cast.ts';
import { get } from './read.ts';
import { allOf, type Row, type Rows } from './rows.ts';

/** Customers with their leads and sales: in lists, by themselves, by a search, and to another product's clients. */
export async function checkCustomers({ app }: Cast, rows: Rows): Promise<void> {
  const customers = await allOf(app, '/api/customers', 3);
  const found = [...rows.sales, ...rows.leads];
  const named = customers.filter(({ externalId }) => externalId !== null);
  const byExternalId = new Map(named.map((customer) => [customer.externalId as string, customer]));
  expect(byExternalId.size).toBe(named.length);
  for (const { customer } of found) {
    if (customer.externalId === null) continue;
    const { externalId, email, name } = byExternalId.get(customer.externalId) as Row;
    expect(customer).toEqual({ externalId, email, name });
  }
  const dub = (await get(app, '/compat/dub/customers?pageSize=100')).body as Row[];
  expect(dub.map(({ id, email, createdAt }) => [id, email, createdAt])).toEqual(
    customers.map(({ id, email, createdAt }) => [id, email, createdAt]),
  );
  for (const customer of named) {
    const { externalId, email } = customer;
    expect((await get(app, `/api/customers/${externalId}`)).body).toEqual(customer);
    expect((await get(app, `/api/customers?search=${externalId}`)).body.data).toContainEqual(customer);
    if (email !== null) {
      const byAddress = customers.filter((other) => other.email?.toLowerCase() === email.toLowerCase());
      expect((await get(app, `/api/customers?email=${encodeURIComponent(email)}`)).body.data).toEqual(byAddress);
    }
    const { leads, sales } = (await get(app, `/api/customers/${externalId}/personal-data`)).body;
    const isTheirs = (row: Row) => row.customer.externalId === externalId;
    const first = (list: Row[], name: string) => list.map((row) => row[name]).toSorted();
    expect(first(leads, 'createdAt')).toEqual(first(rows.leads.filter(isTheirs), 'createdAt'));
    expect(first(sales, 'id')).toEqual(first(rows.sales.filter(isTheirs), 'id'));
    const oldest = rows.leads.findLast(isTheirs);
    if (oldest !== undefined) expect([externalId, customer.createdAt <= oldest.createdAt]).toEqual([externalId, true]);
  }
}
