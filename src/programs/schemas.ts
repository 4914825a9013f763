import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { DEFAULT_PORTAL } from '../core/portal.ts';
import { AMOUNT_BASES, DEFAULT_TERMS, SELF_REFERRAL_RULES } from '../core/terms.ts';
import { moneyByCurrencySchema, timeSchema } from '../schema/answer-fields.ts';
import { archivedField } from '../schema/archived-field.ts';
import { emailField, freeText, httpUrlField, optional, text, withDefault } from '../schema/fields.ts';
import { hostField } from '../schema/host-field.ts';
import { periodFields } from '../schema/period-fields.ts';
import { wholeNumber } from '../schema/whole-number.ts';
import {
  CLICK_PARAMETERS_TEXT,
  clickParametersField,
  VIA_PARAMETERS_TEXT,
  viaParametersField,
} from './parameter-fields.ts';
import { payoutDetailsSchema } from './payout-details-schemas.ts';
import { portalField, portalSettingsSchema, shadcnThemeSchema } from './portal-fields.ts';
import {
  amountBasisField,
  amountsField,
  commissionField,
  commissionSchema,
  durationMonthsField,
  holdDaysField,
  selfReferralField,
} from './terms-fields.ts';

const HOSTS_MAX = 50;
const CODES_MAX = 100;
const TOKEN_SECONDS_DEFAULT = 3600;
const TOKEN_SECONDS_MAX = 24 * 3600;

const DURATION_TEXT =
  "Months after a customer's first sale in which sales earn; 0: only the first sale; null: without end.";
const HOLD_TEXT = 'Days from a payment until its commission may be paid out.';
const MINIMUM_TEXT = 'A payout waits until it reaches this amount; other currencies have no minimum.';
const BASIS_TEXT = '`net`: after discounts, without tax and shipping; `gross`: the total that the customer paid.';
const MATCHING_TEXT = 'Whether an e-mail address alone may attribute a sale. Anyone can type any address.';
const SELF_REFERRAL_TEXT =
  'A sale whose buyer looks like the partner is counted (`off`), counted and marked (`flag`) or not counted (`refuse`).';
const DEFAULT_URL_TEXT = 'The destination of the first link, which is created with a new partner; null to create none.';
const DEAD_LINK_URL_TEXT =
  "Where visitors of a link that does not exist go, on domains that only this account's links are on; null for a page " +
  'that says so. Of several programs with one, the oldest decides.';
const HOSTS_TEXT = 'Hosts whose pages may record clicks; any host when empty.';

/** The input of a program. */
export const programInput = z
  .object({
    name: text(),
    description: withDefault(freeText(2000), ''),
    commission: withDefault(commissionField, DEFAULT_TERMS.commission),
    durationMonths: optional(durationMonthsField).describe(DURATION_TEXT),
    holdDays: withDefault(holdDaysField, DEFAULT_TERMS.holdDays).describe(HOLD_TEXT),
    minimumPayout: withDefault(amountsField, DEFAULT_TERMS.minimumPayout).describe(MINIMUM_TEXT),
    amountBasis: withDefault(amountBasisField, DEFAULT_TERMS.amountBasis).describe(BASIS_TEXT),
    emailMatching: withDefault(z.boolean(), DEFAULT_TERMS.emailMatching).describe(MATCHING_TEXT),
    selfReferral: withDefault(selfReferralField, DEFAULT_TERMS.selfReferral).describe(SELF_REFERRAL_TEXT),
    trackedHosts: withDefault(
      z
        .array(hostField)
        .max(HOSTS_MAX, `must have at most ${HOSTS_MAX} hosts`)
        .overwrite((hosts) => [...new Set(hosts)]),
      [],
    ).describe(HOSTS_TEXT),
    clickParameters: clickParametersField,
    viaParameters: viaParametersField,
    defaultUrl: optional(httpUrlField).describe(DEFAULT_URL_TEXT),
    deadLinkUrl: optional(httpUrlField).describe(DEAD_LINK_URL_TEXT),
    portal: withDefault(portalField, DEFAULT_PORTAL),
  })
  .meta({ id: 'ProgramInput' });

export type ProgramInput = z.output<typeof programInput>;

export const programListQuery = z.object({ ...pageFields('prg'), archived: archivedField });

export type ProgramListQuery = z.output<typeof programListQuery>;

export const programSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    commission: commissionSchema,
    durationMonths: z.int().nullable().describe(DURATION_TEXT),
    holdDays: z.int().describe(HOLD_TEXT),
    minimumPayout: moneyByCurrencySchema.describe(MINIMUM_TEXT),
    amountBasis: z.enum(AMOUNT_BASES).describe(BASIS_TEXT),
    emailMatching: z.boolean().describe(MATCHING_TEXT),
    selfReferral: z.enum(SELF_REFERRAL_RULES).describe(SELF_REFERRAL_TEXT),
    trackedHosts: z.array(z.string()).describe(HOSTS_TEXT),
    clickParameters: z.array(z.string()).describe(CLICK_PARAMETERS_TEXT),
    viaParameters: z.array(z.string()).describe(VIA_PARAMETERS_TEXT),
    defaultUrl: z.string().nullable().describe(DEFAULT_URL_TEXT),
    deadLinkUrl: z.string().nullable().describe(DEAD_LINK_URL_TEXT),
    portal: portalSettingsSchema,
    archivedAt: timeSchema.nullable().describe('When the program was archived; null while it is in use.'),
  })
  .meta({ id: 'Program' });

export type ProgramResource = z.input<typeof programSchema>;

export const programListSchema = pageOfSchema(programSchema, 'ProgramList');

const discountCodeField = text(100)
  .regex(/^\P{Cc}+$/u, 'must be one line without control characters')
  .meta({ examples: ['ANA10'] });

/** Compared and stored in lower case. */
const partnerEmailField = emailField.toLowerCase();

/** The input of a partner. */
export const partnerInput = z
  .object({
    programId: optional(text()).describe('Required only when the account has several programs.'),
    name: text(),
    email: partnerEmailField.describe('One partner per address and program.'),
    tenantId: optional(text()).describe('Your own id for the partner; one partner per id and program.'),
    discountCodes: withDefault(
      z.array(discountCodeField).max(CODES_MAX, `must have at most ${CODES_MAX} codes`).overwrite(distinctCodes),
      [],
    ).describe(
      'A sale with one of these codes is theirs. A code belongs to one partner of the account, regardless of case.',
    ),
    commission: optional(commissionField).describe("Replaces the program's commission."),
  })
  .meta({ id: 'PartnerInput' });

export type PartnerInput = z.output<typeof partnerInput>;

export const partnerListQuery = z.object({
  ...pageFields('ptr'),
  ...periodFields,
  search: optional(text()).describe('The beginning of the name or of the e-mail address, in upper or lower case.'),
  email: optional(text()).describe('The whole e-mail address.'),
  tenantId: optional(text()),
  programId: optional(text()),
  archived: archivedField,
});

export type PartnerListQuery = z.output<typeof partnerListQuery>;

export const partnerSchema = z
  .object({
    id: z.string(),
    programId: z.string(),
    name: z.string(),
    email: z.string(),
    tenantId: z.string().nullable().describe('Your own id for the partner.'),
    discountCodes: z.array(z.string()),
    commission: commissionSchema.nullable().describe("Replaces the program's commission."),
    payoutDetails: payoutDetailsSchema.nullable(),
    status: z.enum(['active', 'archived']),
    createdAt: timeSchema,
    archivedAt: timeSchema.nullable().describe('When the partner was archived; null while they are active.'),
  })
  .meta({ id: 'Partner' });

export type PartnerResource = z.input<typeof partnerSchema>;

export const partnerListSchema = pageOfSchema(partnerSchema, 'PartnerList');

/** The partner whose portal is shown, and the lifetime of the token. */
export const embedTokenInput = z
  .object({
    tenantId: optional(text()).describe('Your own id for the partner.'),
    enrollmentId: optional(text()).describe('The id of the partner.'),
    partner: optional(
      z.object({ email: partnerEmailField, name: optional(text()).describe('For a new partner.') }),
    ).describe('Enrolled when no partner has this address or the tenantId.'),
    programId: optional(text()).describe('Required only when the account has several programs.'),
    expiresIn: withDefault(wholeNumber(1, TOKEN_SECONDS_MAX), TOKEN_SECONDS_DEFAULT).describe('Seconds.'),
  })
  .refine(
    ({ tenantId, enrollmentId, partner }) => tenantId !== null || enrollmentId !== null || partner !== null,
    'Name the partner by at least one of tenantId, enrollmentId and partner',
  )
  .meta({ id: 'EmbedTokenInput' });

export type EmbedTokenInput = z.output<typeof embedTokenInput>;

export const embedTokenSchema = z
  .object({
    publicToken: z.string().describe('For the page that embeds the portal; shown only once.'),
    expires: timeSchema,
  })
  .meta({ id: 'EmbedToken' });

export type IssuedEmbedToken = z.input<typeof embedTokenSchema>;

export const portalLinkSchema = z
  .object({
    url: z.string().describe('For the partner, once. It is shown only in this answer.'),
    expires: timeSchema.describe('When the address stops working.'),
  })
  .meta({ id: 'PortalLink' });

export type PortalLink = z.input<typeof portalLinkSchema>;

export const portalCodeInput = z
  .object({ code: text().describe('What follows `#code=` in the address.') })
  .meta({ id: 'PortalCodeInput' });

export const portalSessionSchema = z
  .object({ expires: timeSchema.describe('When the session ends.') })
  .meta({ id: 'PortalSession' });

export type PortalSession = z.input<typeof portalSessionSchema>;

/** What the embedded portal displays. Every member is always present. */
export const portalConfigSchema = z
  .object({
    allowedOrigins: z.array(z.string()).describe('Origins that may embed the portal.'),
    programName: z.string(),
    programDescription: z.string().describe('May be empty.'),
    showBranding: z.boolean(),
    showEarnings: z.boolean(),
    showPayoutHistory: z.boolean(),
    showReferralLink: z.boolean(),
    showStats: z.boolean(),
    theme: z.object({
      title: z.string(),
      description: z.string().describe('May be empty.'),
      fontFamily: z.string(),
      logoUrl: z.string().describe('Empty when the program has no logo.'),
      shadcnTheme: shadcnThemeSchema,
    }),
  })
  .meta({ id: 'PortalConfig' });

export type PortalConfig = z.input<typeof portalConfigSchema>;

/** Removes case-insensitive duplicates and sorts as reads do, so that any two units lock codes in the same order. */
function distinctCodes(codes: string[]): string[] {
  const byLowerCase = new Map(codes.map((code) => [code.toLowerCase(), code]));
  return [...byLowerCase].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, code]) => code);
}
