import type { InterpretSettings } from '../../../adapters/contract/adapter.ts';
import type { Transaction } from '../../storage/database.ts';

/** What the settings of an endpoint were, also of one that was deleted: its deliveries may be processed again. */
export async function getInterpretSettings(tx: Transaction, endpointId: string): Promise<InterpretSettings> {
  const row = await tx.get<{ acceptTestEvents: number; countStores: string | null; countPaymentIntents: number }>(
    `SELECT accept_test_events AS "acceptTestEvents", count_stores AS "countStores",
       count_payment_intents AS "countPaymentIntents"
     FROM webhook_endpoints WHERE id = @endpointId`,
    { endpointId },
  );
  if (!row) throw new Error(`Endpoint ${endpointId} of a stored delivery is missing`);
  return {
    acceptTestEvents: row.acceptTestEvents === 1,
    countStores: row.countStores === null ? null : (JSON.parse(row.countStores) as string[]),
    countPaymentIntents: row.countPaymentIntents === 1,
  };
}
