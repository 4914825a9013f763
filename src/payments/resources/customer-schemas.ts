import { z } from 'zod';
import { pageFields, pageOfSchema } from '../../app/page.ts';
import { metadataSchema, timeSchema } from '../../schema/answer-fields.ts';
import { emailField, httpUrlField, looseText, metadataField, optional, text } from '../../schema/fields.ts';
import { periodFields } from '../../schema/period-fields.ts';

/** Members of a tracking request that identify the customer. */
export const customerFields = {
  customerExternalId: text().describe('Your own id for the customer, the same in leads, sales and processor metadata.'),
  customerEmail: looseText({ format: 'email', examples: ['ana@example.com'] }).describe(
    "The customer's e-mail address; ignored if it is not one.",
  ),
  customerName: looseText().describe("The customer's name; ignored if it is longer than 255 characters."),
  customerAvatar: looseText({ format: 'uri' }).describe(
    "The URL of the customer's picture; ignored if it is not an absolute http or https URL.",
  ),
};

/** The condition under which each member can be shown. */
const SHOWABLE = { customerEmail: emailField, customerName: text(), customerAvatar: httpUrlField };

type ProfileMember = keyof typeof SHOWABLE;

const PROFILE_MEMBERS = Object.keys(SHOWABLE) as ProfileMember[];

/**
 * Removes what cannot be shown, such as a relative URL for a picture, and lists it in `leftOut`. A conversion is worth
 * more than a name, so it is never refused for this reason.
 */
export function withoutUnshowable<Input extends Record<ProfileMember, string | null>>(
  input: Input,
): Input & { leftOut: ProfileMember[] } {
  const leftOut = PROFILE_MEMBERS.filter((name) => {
    return input[name] !== null && !SHOWABLE[name].safeParse(input[name]).success;
  });
  return { ...input, ...Object.fromEntries(leftOut.map((name) => [name, null])), leftOut };
}

/** The body of `POST /api/track/lead`. */
export const leadInput = z
  .object({
    clickId: text().describe('The value of the `svc_id` cookie.'),
    eventName: text().describe('What happened, for example `Sign up`.'),
    ...customerFields,
    metadata: optional(metadataField).describe('Key-value data to store with the lead.'),
  })
  .meta({ id: 'LeadInput' })
  .transform(withoutUnshowable);

export type LeadInput = z.output<typeof leadInput>;

/** A customer, as shown in other resources. */
export const customerNameSchema = z
  .object({ externalId: z.string().nullable(), email: z.string().nullable(), name: z.string().nullable() })
  .meta({ id: 'CustomerName' });

/** The response of `POST /api/track/lead`. */
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
  search: optional(text()).describe("The customer's external id or e-mail address."),
  email: optional(text()).describe("The customer's e-mail address."),
  tenantId: optional(text()).describe('Your own id for the partner.'),
  linkId: optional(text()),
  ...periodFields,
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
    partnerName: z.string(),
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
    partnerName: z.string(),
    createdAt: timeSchema,
  })
  .meta({ id: 'Customer' });

export type CustomerResource = z.input<typeof customerSchema>;

export const customerListQuery = z.object({
  ...pageFields('cus'),
  ...periodFields,
  search: optional(text()).describe(
    'The beginning of the external id, or of the e-mail address in upper or lower case. Finds at most the first 100 of each.',
  ),
  email: optional(text()).describe('The whole e-mail address.'),
});

export type CustomerListQuery = z.output<typeof customerListQuery>;

export const customerListSchema = pageOfSchema(customerSchema, 'CustomerList');
