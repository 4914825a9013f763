import { z } from 'zod';
import { pageInput, pageOfSchema } from '../app/page.ts';
import { OPERATOR_ROLES } from '../core/operator.ts';
import { timeSchema } from '../schema/answer-fields.ts';
import { emailField, optional, text, withDefault } from '../schema/fields.ts';
import { SESSION_OPENINGS } from './queries/sessions.ts';

const PASSWORD_CHARACTERS_MIN = 10;
const PASSWORD_CHARACTERS_MAX = 200;
const ROLE_TEXT =
  '`viewer` reads; `member` changes everything but operators and API keys with the scope `full`, and does not export, ' +
  'import or erase; `owner` may do everything.';

/** Compared and stored in lower case. */
const operatorEmailField = emailField.toLowerCase().describe('One operator per address.');

const roleField = z.enum(OPERATOR_ROLES).describe(ROLE_TEXT);

/** Passwords are not trimmed. */
const passwordField = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `must have at least ${PASSWORD_CHARACTERS_MIN} characters`)
  .max(PASSWORD_CHARACTERS_MAX, `must have at most ${PASSWORD_CHARACTERS_MAX} characters`);

/** The input of an invitation. */
export const operatorInput = z
  .object({
    name: text(),
    email: operatorEmailField,
    role: withDefault(roleField, 'member'),
  })
  .meta({ id: 'OperatorInput' });

export type OperatorInput = z.output<typeof operatorInput>;

/** The first owner, added from the command line. Has no e-mail address until one is set. */
export const firstOwnerInput = z.object({ name: withDefault(text(), 'Owner'), email: optional(operatorEmailField) });

export type FirstOwnerInput = z.output<typeof firstOwnerInput>;

/** The members of an operator that an owner may change. */
export const operatorPatch = z.object({ name: text(), role: roleField }).meta({ id: 'OperatorChangePatch' });

export type OperatorPatch = z.output<typeof operatorPatch>;

export const operatorListQuery = pageInput('opr');

export const operatorSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable().describe('Null until one is set.'),
    role: z.enum(OPERATOR_ROLES).describe(ROLE_TEXT),
    hasPassword: z.boolean().describe('Whether they can sign in with a password.'),
    createdAt: timeSchema,
    lastSeenAt: timeSchema.nullable().describe('Null until they first sign in.'),
  })
  .meta({ id: 'Operator' });

export type OperatorResource = z.input<typeof operatorSchema>;

export const operatorListSchema = pageOfSchema(operatorSchema, 'OperatorList');

export const invitedOperatorSchema = z
  .object({
    operator: operatorSchema,
    signInUrl: z.string().describe('Signs this operator in once. It is shown only in this answer.'),
    expires: timeSchema.describe('When the address stops working.'),
  })
  .meta({ id: 'InvitedOperator' });

export type InvitedOperator = z.input<typeof invitedOperatorSchema>;

/** Either a code, or an e-mail address and a password. */
export const signInInput = z
  .object({
    code: optional(text()).describe('What follows `#code=` in a sign-in address.'),
    email: optional(operatorEmailField),
    password: optional(
      z.string().max(PASSWORD_CHARACTERS_MAX, `must have at most ${PASSWORD_CHARACTERS_MAX} characters`),
    ),
  })
  .refine(
    ({ code, email, password }) =>
      code === null ? email !== null && password !== null : email === null && password === null,
    'Send either code, or email and password',
  )
  .meta({ id: 'SignInInput' });

export type SignInInput = z.output<typeof signInInput>;

export const signInMethodsSchema = z
  .object({
    password: z.literal(true),
    singleSignOn: z.boolean().describe('Whether `/dashboard/single-sign-on` leads to an OpenID provider.'),
  })
  .meta({ id: 'SignInMethods' });

export const signedInSchema = z
  .object({ operator: operatorSchema, expires: timeSchema.describe('Every use extends the session to two weeks.') })
  .meta({ id: 'SignedIn' });

export type SignedIn = z.input<typeof signedInSchema>;

/** The members that operators may change in their own record. */
export const ownPatch = z
  .object({
    name: text(),
    email: optional(operatorEmailField).describe(
      'Signs in together with the password; for single sign-on, it counts once an owner has confirmed it.',
    ),
    password: optional(passwordField).describe(
      'Needs an e-mail address to sign in with. Null removes it. Any change ends all other sessions.',
    ),
    currentPassword: optional(z.string()).describe(
      'Required to change the e-mail address or password if a password is set, unless you signed in with a sign-in ' +
        'address in the last half hour.',
    ),
  })
  .meta({ id: 'OwnChangePatch' });

export type OwnPatch = z.output<typeof ownPatch>;

export const sessionListQuery = pageInput('ses');

export const sessionSchema = z
  .object({
    id: z.string(),
    operatorId: z.string(),
    operatorName: z.string(),
    openedBy: z.enum(SESSION_OPENINGS).describe('How they signed in; `code` is a sign-in address.'),
    userAgent: z.string().nullable().describe('The user agent of the browser, shortened.'),
    createdAt: timeSchema,
    lastSeenAt: timeSchema.describe('Accurate to a few minutes.'),
    expiresAt: timeSchema,
    isCurrent: z.boolean().describe('The session of this request.'),
  })
  .meta({ id: 'Session' });

export type SessionResource = z.input<typeof sessionSchema>;

export const sessionListSchema = pageOfSchema(sessionSchema, 'SessionList');
