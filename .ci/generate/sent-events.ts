import type { z } from 'zod';
import { type SentEventType, TEST_EVENT_TYPE } from '../../src/core/event.ts';
import { eventEndpointSchema } from '../../src/events/schemas.ts';
import { deliverySchema } from '../../src/inbox/schemas.ts';
import { entrySchema } from '../../src/ledger/schemas.ts';
import { recordedClickSchema } from '../../src/links/schemas.ts';
import { leadSchema } from '../../src/payments/resources/customer-schemas.ts';
import { parkedSchema } from '../../src/payments/resources/parked-schemas.ts';
import { saleSchema } from '../../src/payments/resources/sale-schemas.ts';
import { payoutSchema } from '../../src/payouts/schemas.ts';
import { partnerSchema } from '../../src/programs/schemas.ts';
import type { EventDeclaration } from './events.ts';

/** When each event is sent, and the resource in it. */
export const SENT: Readonly<Record<SentEventType, { summary: string; data: z.ZodObject }>> = {
  'lead.created': { summary: 'A lead was counted', data: leadSchema },
  'sale.created': { summary: 'A sale was counted', data: saleSchema },
  'sale.refunded': { summary: 'More of a sale was refunded, or lost in a dispute', data: saleSchema },
  'sale.disputed': { summary: 'A dispute was opened', data: saleSchema },
  'sale.approved': { summary: 'The hold of a sale is over', data: saleSchema },
  'sale.updated': { summary: 'A sale changed in another way', data: saleSchema },
  'commission.created': { summary: 'An entry was added to the ledger', data: entrySchema },
  'payout.queued': { summary: "A partner's next payout began to collect entries", data: payoutSchema },
  'payout.processing': { summary: 'A payout was started, with a fixed amount', data: payoutSchema },
  'payout.held': { summary: 'Nobody knows whether a payout was paid: a person decides', data: payoutSchema },
  'payout.paid': { summary: 'A payout was paid', data: payoutSchema },
  'payout.failed': { summary: 'A payout failed', data: payoutSchema },
  'payout.canceled': { summary: 'A payout was canceled', data: payoutSchema },
  'partner.created': { summary: 'A partner was enrolled', data: partnerSchema },
  'payment.unattributed': {
    summary: 'A payment was parked, because nobody is known to have earned it',
    data: parkedSchema,
  },
  'delivery.failed': {
    summary: "A processor's webhook failed for the first time, or was given up",
    data: deliverySchema,
  },
  'click.created': { summary: 'A visit was recorded', data: recordedClickSchema },
  [TEST_EVENT_TYPE]: { summary: 'Somebody tests the endpoint', data: eventEndpointSchema },
};

/** Every event, as the document describes it. */
export const SENT_EVENTS: readonly EventDeclaration[] = Object.entries(SENT).map(([type, sent]) => ({ type, ...sent }));
