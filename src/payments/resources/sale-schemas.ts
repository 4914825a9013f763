import { z } from 'zod';
import { pageFields, pageOfSchema } from '../../app/page.ts';
import { MATCHED_BY } from '../../core/attribution.ts';
import { DISPUTE_STATES } from '../../core/facts.ts';
import { AMOUNT_MAX } from '../../core/money.ts';
import { PAYMENT_PROCESSORS } from '../../core/processor.ts';
import { SALE_STATUSES } from '../../core/sale.ts';
import { REVIEWS } from '../../core/self-referral.ts';
import { AMOUNT_BASES } from '../../core/terms.ts';
import { entrySchema } from '../../ledger/schemas.ts';
import { commissionSchema } from '../../programs/terms-fields.ts';
import { amountSchema, currencySchema, metadataSchema, timeSchema } from '../../schema/answer-fields.ts';
import {
  amountField,
  currencyField,
  freeText,
  metadataField,
  optional,
  paymentProcessorField,
  text,
  unlessBlank,
  withDefault,
} from '../../schema/fields.ts';
import { periodFields } from '../../schema/period-fields.ts';
import { wholeNumber } from '../../schema/whole-number.ts';
import { customerFields, customerNameSchema, withoutUnshowable } from './customer-schemas.ts';

const saleFields = {
  ...customerFields,
  amount: amountField.describe('In the smallest unit of the currency, for example cents.'),
  currency: unlessBlank(withDefault(currencyField, 'usd')).describe('ISO 4217; `usd` by default.'),
  eventName: unlessBlank(withDefault(text(), 'Purchase')).describe('What was bought; `Purchase` by default.'),
  invoiceId: unlessBlank(optional(text())).describe(
    'Your invoice or order id. A second sale with the same id is refused.',
  ),
  paymentProcessor: unlessBlank(withDefault(paymentProcessorField, 'custom')).describe('`custom` by default.'),
  metadata: optional(metadataField).describe('Key-value data to store with the sale.'),
};

/** The body of `POST /api/track/sale`. */
export const saleInput = z
  .object({ clickId: text().describe('The value of the `svc_id` cookie.'), ...saleFields })
  .meta({ id: 'SaleInput' })
  .transform(withoutUnshowable);

export type SaleInput = z.output<typeof saleInput>;

/** The body of `POST /api/sales`. */
export const customerSaleInput = z.object(saleFields).meta({ id: 'CustomerSaleInput' }).transform(withoutUnshowable);

export type CustomerSaleInput = z.output<typeof customerSaleInput>;

/** The response of `POST /api/track/sale`, and of `POST /api/sales` for a known customer. */
export const trackedSaleSchema = z
  .object({
    eventName: z.string(),
    customer: customerNameSchema,
    sale: z.object({
      id: z.string(),
      amount: amountSchema,
      currency: currencySchema,
      commissionAmount: amountSchema,
      status: z.literal('pending'),
      invoiceId: z.string().nullable(),
      paymentProcessor: z.enum(PAYMENT_PROCESSORS),
    }),
  })
  .meta({ id: 'TrackedSale' });

export type TrackedSaleResource = z.input<typeof trackedSaleSchema>;

export const saleListQuery = z.object({
  ...pageFields('sal'),
  invoiceId: optional(text()),
  customerExternalId: optional(text()),
  partnerId: optional(text()),
  processor: optional(z.enum(PAYMENT_PROCESSORS)),
  status: optional(z.enum(SALE_STATUSES)),
  review: optional(z.enum(REVIEWS)),
  search: optional(text()).describe("An invoice id, the customer's external id, or the customer's e-mail address."),
  email: optional(text()).describe("The customer's e-mail address."),
  tenantId: optional(text()).describe('Your own id for the partner.'),
  programId: optional(text()),
  linkId: optional(text()),
  currency: optional(currencyField),
  ...periodFields,
});

export type SaleListQuery = z.output<typeof saleListQuery>;

/** One line of a sale's attribution trace. */
export const traceStepSchema = z
  .object({
    step: z.enum([...MATCHED_BY, 'by_hand', 'commission', 'customer', 'self_referral']),
    value: z.string().nullable(),
    result: z.enum(['matched', 'not_found', 'noted', 'skipped']),
    reason: z.string(),
  })
  .meta({ id: 'TraceStep' });

const saleMembers = {
  id: z.string(),
  amount: amountSchema.describe('The base of the commission, in minor units.'),
  currency: currencySchema,
  commissionAmount: amountSchema,
  status: z.enum(SALE_STATUSES),
  invoiceId: z.string().nullable(),
  paymentProcessor: z.enum(PAYMENT_PROCESSORS),
  grossAmount: amountSchema.describe('The total that the customer paid.'),
  refundedAmount: amountSchema,
  reversedCommissionAmount: amountSchema.describe(
    'The part of the commission that refunds and lost disputes reversed.',
  ),
  eventName: z.string(),
  customer: customerNameSchema,
  programId: z.string(),
  partnerId: z.string(),
  partnerName: z.string(),
  linkId: z.string().nullable(),
  clickId: z.string().nullable(),
  occurredAt: timeSchema,
  createdAt: timeSchema,
  attribution: z.object({
    matchedBy: z.enum([...MATCHED_BY, 'by_hand']),
    steps: z.array(traceStepSchema),
  }),
  review: z.enum(REVIEWS).nullable().describe('The review of a sale that looks like a self-referral.'),
  note: z.string().nullable(),
};

export const saleSchema = z.object(saleMembers).meta({ id: 'Sale' });

export type SaleResource = z.input<typeof saleSchema>;

export const saleListSchema = pageOfSchema(saleSchema, 'SaleList');

const refundSchema = z
  .object({
    id: z.string().nullable().describe('Null for a cumulative report, which has no refund id.'),
    kind: z.enum(['refund', 'cumulative']),
    processor: z.enum(PAYMENT_PROCESSORS),
    amount: amountSchema.nullable(),
    currency: currencySchema,
    status: z.enum(['succeeded', 'failed']),
    occurredAt: timeSchema.describe('When it was made, or else reported first; ISO 8601, UTC.'),
  })
  .meta({ id: 'Refund' });

const disputeSchema = z
  .object({
    id: z.string(),
    processor: z.enum(PAYMENT_PROCESSORS),
    amount: amountSchema,
    currency: currencySchema,
    state: z
      .enum(DISPUTE_STATES)
      .describe('`returned` is money that came back after a lost dispute, where the processor reports it separately.'),
    occurredAt: timeSchema,
  })
  .meta({ id: 'Dispute' });

export const saleDetailSchema = z
  .object({
    ...saleMembers,
    metadata: metadataSchema.nullable(),
    terms: z
      .object({
        commission: commissionSchema,
        source: z.enum(['link', 'partner', 'program']),
        durationMonths: z.int().nullable(),
        holdDays: z.int(),
        amountBasis: z.enum(AMOUNT_BASES),
      })
      .nullable()
      .describe('The terms applied to this sale; later changes do not affect it. Null if its commission was imported.'),
    refunds: z.array(refundSchema),
    disputes: z.array(disputeSchema),
    entries: z.array(entrySchema).describe('Its ledger entries, oldest first.'),
  })
  .meta({ id: 'SaleDetail' });

export type SaleDetailResource = z.input<typeof saleDetailSchema>;

const refundFields = {
  refundId: text().describe('Your id of the refund; repeating it changes nothing.'),
  amount: wholeNumber(1, AMOUNT_MAX).describe("In minor units of the sale's currency."),
  currency: optional(currencyField).describe('If given, it must be the currency of the sale or the parked payment.'),
};

export const refundInput = z.object(refundFields).meta({ id: 'RefundInput' });

export type RefundInput = z.output<typeof refundInput>;

/** The body of `POST /api/refunds`. */
export const invoiceRefundInput = z
  .object({ invoiceId: text().describe('The invoice or order id that the sale was reported with.'), ...refundFields })
  .meta({ id: 'InvoiceRefundInput' });

export type InvoiceRefundInput = z.output<typeof invoiceRefundInput>;

export const reviewInput = z
  .object({ reason: optional(freeText(500)).describe('Recorded in the trace of the sale.') })
  .meta({ id: 'ReviewInput' });
