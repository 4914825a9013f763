import { z } from 'zod';
import { amountSchema, currencySchema, metadataSchema, timeSchema } from '../../schema/answer-fields.ts';
import { optional, text } from '../../schema/fields.ts';
import { timeField } from '../../schema/time-field.ts';
import { dubPageFields, unofferedFilter } from './pages.ts';

/** A member that none of the listed items has, but the package requires. */
const absent = z.null();

const isExpanded = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true');

export const dubCustomerListQuery = z
  .object({
    ...dubPageFields,
    email: optional(text()),
    externalId: optional(text()),
    search: optional(text()),
    includeExpandedFields: isExpanded,
    country: unofferedFilter,
    linkId: unofferedFilter,
    programId: unofferedFilter,
    partnerId: unofferedFilter,
  })
  .refine(({ externalId, email, search }) => externalId === null || (email === null && search === null), {
    path: ['externalId'],
    error: 'cannot be combined with email or search',
  });

export type DubCustomerListQuery = z.output<typeof dubCustomerListQuery>;

export const dubCustomerQuery = z.object({ includeExpandedFields: isExpanded });

const customerMembers = {
  id: z.string(),
  externalId: z.string().describe('Empty for a guest.'),
  name: z.string().nullable(),
  email: z.string().nullable(),
  avatar: z.string().nullable(),
  createdAt: timeSchema,
};

export const dubCustomerSchema = z.object({
  ...customerMembers,
  link: z
    .object({
      id: z.string(),
      domain: z.string(),
      key: z.string(),
      shortLink: z.string(),
      url: z.string(),
      programId: z.string(),
    })
    .nullable()
    .optional(),
  partner: z.object({ id: z.string(), name: z.string(), email: absent, image: absent }).optional(),
});

export type DubCustomer = z.input<typeof dubCustomerSchema>;

const COMMISSION_STATUSES = [
  'pending',
  'processed',
  'paid',
  'refunded',
  'fraud',
  'hold',
  'duplicate',
  'canceled',
] as const;

export type DubCommissionStatus = (typeof COMMISSION_STATUSES)[number];

export const dubCommissionListQuery = z.object({
  ...dubPageFields,
  type: optional(text()),
  customerId: optional(text()),
  partnerId: optional(
    text().refine((id) => !/^-|,/.test(id), 'must be a single id: Refbridge supports neither lists nor exclusions'),
  ),
  tenantId: optional(text()),
  invoiceId: optional(text()),
  status: optional(z.enum(COMMISSION_STATUSES)),
  start: optional(timeField),
  end: optional(timeField),
  interval: optional(z.literal('all', { error: 'is not supported by Refbridge; send start and end' })),
  payoutId: unofferedFilter,
  groupId: unofferedFilter,
  partnerTagId: unofferedFilter,
  query: unofferedFilter,
});

export type DubCommissionListQuery = z.output<typeof dubCommissionListQuery>;

const partnerMembers = {
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  image: absent,
  payoutsEnabledAt: absent,
  country: absent,
};

export const dubCommissionSchema = z.object({
  id: z.string().describe('The id of the sale.'),
  type: z.literal('sale'),
  amount: amountSchema,
  earnings: amountSchema.describe('The commission less reversals.'),
  currency: currencySchema,
  status: z.enum(COMMISSION_STATUSES),
  invoiceId: z.string().nullable(),
  description: absent,
  quantity: z.literal(1),
  metadata: metadataSchema.nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  paidAt: absent,
  partner: z.object(partnerMembers),
  customer: z.object(customerMembers).nullable(),
});

export type DubCommission = z.input<typeof dubCommissionSchema>;

const PAYOUT_STATUSES = ['pending', 'processing', 'completed', 'failed', 'canceled', 'processed', 'sent'] as const;

export type DubPayoutStatus = (typeof PAYOUT_STATUSES)[number];

export const dubPayoutListQuery = z.object({
  ...dubPageFields,
  status: optional(z.enum(PAYOUT_STATUSES)),
  partnerId: optional(text()),
  tenantId: optional(text()),
  invoiceId: unofferedFilter,
  groupId: unofferedFilter,
});

export type DubPayoutListQuery = z.output<typeof dubPayoutListQuery>;

export const dubPayoutSchema = z.object({
  id: z.string(),
  invoiceId: absent,
  amount: amountSchema,
  currency: currencySchema,
  status: z.enum(PAYOUT_STATUSES),
  description: z.string().nullable(),
  periodStart: absent,
  periodEnd: absent,
  createdAt: timeSchema,
  initiatedAt: timeSchema.nullable(),
  paidAt: timeSchema.nullable(),
  mode: absent,
  method: absent,
  partner: z.object({ ...partnerMembers, defaultPayoutMethod: absent, tenantId: z.string().nullable() }),
});

export type DubPayout = z.input<typeof dubPayoutSchema>;
