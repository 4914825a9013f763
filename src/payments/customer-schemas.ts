import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { metadataSchema, timeSchema } from '../schema/answer-fields.ts';
import { emailField, httpUrlField, metadataField, optional, text } from '../schema/fields.ts';

/** Members of a tracking request that identify the customer. */
export const customerFields = {
  customerExternalId: text().describe('Your own id of the customer, the same in leads, sales and processor metadata.'),
  customerEmail: optional(emailField).describe("The customer's e-mail address."),
  customerName: optional(text()).describe("The customer's name."),
  customerAvatar: optional(httpUrlField).describe("The URL of the customer's picture."),
};

/** The body of `POST /api/track/lead`. */
export const leadInput = z
  .object({
    clickId: text().describe('The value of the `svc_id` cookie.'),
    eventName: text().describe('What happened, for example `Sign up`.'),
    ...customerFields,
    metadata: optional(metadataField).describe('Key-value data to store with the lead.'),
  })
  .meta({ id: 'LeadInput' });

export type LeadInput = z.output<typeof leadInput>;

/** A customer, as shown in other resources. */
export const customerNameSchema = z
  .object({ externalId: z.string().nullable(), email: z.string().nullable(), name: z.string().nullable() })
  .meta({ id: 'CustomerName' });

/** The answer of `POST /api/track/lead`. */
export const trackedLeadSchema = z
  .object({
    eventName: z.string(),
    click: z.object({ id: z.string() }),
    link: z.object({
      id: z.string(),
      domain: z.string(),
      key: z.string(),
      url: z.string(),
      programId: z.string(),
    }),
    customer: customerNameSchema,
  })
  .meta({ id: 'TrackedLead' });

export type TrackedLeadResource = z.input<typeof trackedLeadSchema>;

export const leadListQuery = z.object({
  ...pageFields('led'),
  customerExternalId: optional(text()),
  partnerId: optional(text()),
});

export type LeadListQuery = z.output<typeof leadListQuery>;

export const leadSchema = z
  .object({
    id: z.string(),
    eventName: z.string(),
    customer: customerNameSchema,
    clickId: z.string(),
    linkId: z.string(),
    partnerId: z.string(),
    metadata: metadataSchema.nullable(),
    createdAt: timeSchema,
  })
  .meta({ id: 'Lead' });

export type LeadResource = z.input<typeof leadSchema>;

export const leadListSchema = pageOfSchema(leadSchema, 'LeadList');

export const customerSchema = z
  .object({
    id: z.string(),
    externalId: z.string().nullable().describe('Null for a guest, who is known only by a click.'),
    email: z.string().nullable(),
    name: z.string().nullable(),
    avatar: z.string().nullable(),
    clickId: z.string().nullable().describe('The click of the first lead; it never changes.'),
    linkId: z.string().nullable(),
    partnerId: z.string(),
    createdAt: timeSchema,
  })
  .meta({ id: 'Customer' });

export type CustomerResource = z.input<typeof customerSchema>;
