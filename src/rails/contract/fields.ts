/** Building blocks for the details and options of rails. */

import { z } from 'zod';
import { emailField, optional, text } from '../../schema/fields.ts';
import { compactIban, ibanProblem } from './iban.ts';

export { optional, text } from '../../schema/fields.ts';

/** The characters that every bank of the SEPA area accepts: Latin without accents (EPC217-08). */
const SEPA_TEXT = /^[A-Za-z0-9/\-?:().,'+ ]+$/;
const SEPA_NAME_MAX = 70;

/**
 * An e-mail address that is safe as the first cell of a CSV file. People open these files in spreadsheets, and a
 * leading apostrophe would turn it into another address.
 */
export const payableEmail = emailField
  .refine((value) => /^[\p{L}\p{N}]/u.test(value), 'must begin with a letter or digit')
  .refine((value) => !/[",;\p{Cc}]/u.test(value), 'must not contain quotes, commas or semicolons');

export const ibanField = z
  .string()
  .max(50, 'must have at most 50 characters')
  .overwrite(compactIban)
  .superRefine((value, context) => {
    const problem = ibanProblem(value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ examples: ['DE89370400440532013000'] });

const bicField = z
  .string()
  .max(20, 'must have at most 20 characters')
  .overwrite(compactIban)
  .refine(
    (value) => /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(value),
    'must be a BIC of 8 or 11 characters, such as COBADEFFXXX',
  )
  .meta({ examples: ['COBADEFFXXX'] });

export const optionalBic = optional(bicField);
export const optionalIban = optional(ibanField);

/**
 * The name of an account holder as banks transmit it. No characters are replaced, because banks compare the name with
 * the account.
 */
export const bankName = text(SEPA_NAME_MAX)
  .refine(
    (value) => SEPA_TEXT.test(value),
    "must have only the letters A to Z without accents, digits, spaces and / - ? : ( ) . , ' +: write ü as ue",
  )
  .refine((value) => /^[A-Za-z0-9]/.test(value), 'must begin with a letter or digit')
  .refine((value) => !value.includes('//') && !value.endsWith('/'), 'must not end with / or contain //')
  .meta({ examples: ['Ana Alvarez'] });
