import { getSale, listSales } from '../../src/payments/lists/list-sales.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { ReferredAccount } from '../helpers/account.ts';
import type { TestApp } from '../helpers/app.ts';

/** The sale of an account with only one. */
export async function saleOf({ service }: TestApp, { accountId }: ReferredAccount) {
  const { data } = await listSales(service, accountId, parseInput(saleListQuery, {}));
  return getSale(service, accountId, data[0]?.id ?? '');
}
