import { claimKeys } from '../../app/claims.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { claimInvoicedPayments } from '../queries/references.ts';
import type { SaleDetailResource } from '../resources/sale-schemas.ts';
import { getSale } from './list-sales.ts';

/**
 * The sale of the payment that this invoice or order id names, whoever reported it; null while the payment is not a
 * sale.
 */
export async function findSaleOfInvoice(
  service: Service,
  accountId: AccountId,
  invoiceId: string,
): Promise<SaleDetailResource | null> {
  const saleId = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.reference(accountId, invoiceId)]);
    const payments = await claimInvoicedPayments(tx, accountId, invoiceId);
    return payments.find((payment) => payment.saleId !== null)?.saleId ?? null;
  });
  return saleId === null ? null : getSale(service, accountId, saleId);
}
