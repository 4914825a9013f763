import { z } from 'zod';
import { partnerInput } from '../../programs/schemas.ts';
import { timeSchema } from '../../schema/answer-fields.ts';
import { optional, text, unlessBlank } from '../../schema/fields.ts';
import { dubShortLinkSchema, nullFields } from './link-schemas.ts';
import { dubPageFields, unofferedFilter } from './pages.ts';

export const dubPartnerInput = z.object({
  email: partnerInput.shape.email,
  name: unlessBlank(optional(text())),
  tenantId: unlessBlank(optional(text())),
  programId: optional(text()),
});

export type DubPartnerInput = z.output<typeof dubPartnerInput>;

export const dubPartnerListQuery = z.object({
  ...dubPageFields,
  search: optional(text()),
  email: optional(text()),
  tenantId: optional(text()),
  programId: optional(text()),
  status: optional(text()),
  country: unofferedFilter,
  groupId: unofferedFilter,
});

export type DubPartnerListQuery = z.output<typeof dubPartnerListQuery>;

export const dubPartnerLinksQuery = z
  .object({ partnerId: optional(text()), tenantId: optional(text()) })
  .refine(({ partnerId, tenantId }) => partnerId !== null || tenantId !== null, 'Send partnerId or tenantId');

export type DubPartnerLinksQuery = z.output<typeof dubPartnerLinksQuery>;

/** Members that a partner of Refbridge never has, but the package requires. */
export const NEVER_OF_PARTNER = {
  username: null,
  image: null,
  country: null,
  companyName: null,
  defaultPayoutMethod: null,
  paypalEmail: null,
  stripeConnectId: null,
  payoutsEnabledAt: null,
  identityVerifiedAt: null,
} as const;

export const dubPartnerSchema = z.object({
  ...nullFields(NEVER_OF_PARTNER),
  id: z.string(),
  partnerId: z.string(),
  programId: z.string(),
  name: z.string(),
  email: z.string(),
  tenantId: z.string().nullable(),
  networkStatus: z.literal('approved'),
  status: z.literal('approved'),
  createdAt: timeSchema,
  links: z.array(dubShortLinkSchema),
});

export type DubPartner = z.input<typeof dubPartnerSchema>;
