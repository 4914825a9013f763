import { z } from 'zod';
import { bankName, ibanField, optional, optionalBic } from '../contract/fields.ts';

export const details = z.object({
  name: bankName.describe("The name of the account's holder, as the bank knows it."),
  iban: ibanField.describe('The account.'),
  bic: optionalBic.describe('The bank; needed only outside the European Economic Area.'),
});

export const options = z.object({
  debtor: z
    .object({
      name: bankName.describe('The name on your account.'),
      iban: ibanField.describe('The account that pays.'),
      bic: optionalBic,
    })
    .describe('The account that pays.'),
  executionDate: optional(z.iso.date('must be a date, such as 2026-12-01')).describe(
    'When the bank should pay: today, the default, or a later day, in UTC.',
  ),
});

export type SepaDetails = z.output<typeof details>;
export type SepaOptions = z.output<typeof options>;
