import { z } from 'zod';
import { pageOfSchema } from '../../app/page.ts';
import { TRANSFER_STATUSES } from '../../core/payout.ts';
import { RAIL_NAMES, TRANSFER_RAIL_NAMES } from '../../rails/index.ts';
import { countSchema, timeSchema } from '../../schema/answer-fields.ts';
import { httpUrlField, optional, text } from '../../schema/fields.ts';

export const railConnectionInput = z
  .object({
    secretKey: text().describe(
      'stripe: a secret key, or a restricted key that may write transfers, accounts and account links.',
    ),
    apiUrl: optional(httpUrlField).describe(
      'Another address of the API, such as that of a stand-in in tests, on a host that `EVENT_ALLOWED_HOSTS` names.',
    ),
  })
  .meta({ id: 'RailConnectionInput' });

export type RailConnectionInput = z.output<typeof railConnectionInput>;

const connectionSchema = z
  .object({
    platformId: z.string().describe("The provider's id of the account that pays."),
    platformName: z.string().nullable().describe('What the provider calls it.'),
    mode: z.enum(['live', 'test']).describe('`test`: no real money is moved.'),
    apiUrl: z.string().nullable(),
    createdAt: timeSchema,
    createdBy: z.string().describe('The id of an API key or operator, or `command line`.'),
  })
  .meta({ id: 'RailConnection', description: 'The secret key is never returned.' });

export const railSchema = z
  .object({
    rail: z.enum(RAIL_NAMES),
    kind: z
      .enum(['file', 'transfer'])
      .describe('`file`: makes files, which a bank or provider pays. `transfer`: sends the money.'),
    connection: connectionSchema.nullable().describe('Only of a `transfer` rail; null until it is connected.'),
  })
  .meta({ id: 'Rail' });

export type RailResource = z.input<typeof railSchema>;

export const railListSchema = pageOfSchema(railSchema, 'RailList');

export type RailList = z.input<typeof railListSchema>;

export const payoutTransferSchema = z
  .object({
    rail: z.enum(TRANSFER_RAIL_NAMES),
    mode: z.enum(['live', 'test']).describe('`test`: no real money is moved.'),
    status: z
      .enum(TRANSFER_STATUSES)
      .describe(
        '`sending`: ordered, or about to be; repeated until it is known what became of it. `held`: that cannot be found ' +
          'out, so a person decides.',
      ),
    destination: z.string().nullable().describe("The partner's account at the provider, masked."),
    transferId: z.string().nullable().describe("The provider's id of the payment."),
    problem: z.string().nullable().describe('Why it was not made, or why it is not known.'),
    attempts: countSchema.describe('How often it was ordered. It is made once.'),
    createdAt: timeSchema,
    createdBy: z.string().describe('The id of an API key or operator, or `command line`.'),
    nextAttemptAt: timeSchema.nullable().describe('Null when no attempt follows.'),
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: 'PayoutTransfer', description: "A payout that is sent by a provider's API." });

export type PayoutTransfer = z.input<typeof payoutTransferSchema>;

const countryField = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{2}$/, 'must be an ISO 3166 country code of two letters, such as DE')
  .overwrite((value) => value.trim().toUpperCase())
  .meta({ examples: ['DE'] });

export const onboardingInput = z
  .object({
    rail: z.enum(TRANSFER_RAIL_NAMES, { error: `must be ${TRANSFER_RAIL_NAMES.join(' or ')}` }),
    country: optional(countryField).describe(
      "Where the partner is; the provider's default otherwise. If the partner's account is in another country, another one " +
        'is opened there, and takes its place.',
    ),
  })
  .meta({ id: 'PayoutOnboardingInput' });

export type OnboardingInput = z.output<typeof onboardingInput>;

export const onboardingLinkSchema = z
  .object({
    url: z.string().describe('A page of the provider. It works once, and for minutes.'),
    expires: timeSchema,
  })
  .meta({ id: 'PayoutOnboardingLink' });

export type OnboardingLink = z.input<typeof onboardingLinkSchema>;

export const onboardingSchema = z
  .object({
    rail: z.enum(TRANSFER_RAIL_NAMES).nullable().describe('Null unless the partner is paid by transfers.'),
    isReady: z.boolean().describe('The provider would pay the account now.'),
    problem: z.string().nullable().describe('Why it would not, and what to do.'),
  })
  .meta({ id: 'PayoutOnboarding' });

export type Onboarding = z.input<typeof onboardingSchema>;
