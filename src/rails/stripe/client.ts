import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError, validationError } from '../../errors.ts';
import type { TransferAccess, TransferClient } from '../contract/transfer.ts';
import { type Account, accountSchema, flawOfAccount } from './account-flaw.ts';
import { type Answer, ask, isAboutTheKey, type Refusal } from './request.ts';
import { find, send } from './transfers.ts';

/** Requests to Stripe, each sent once. */
export const client: TransferClient = { platformOf, flawOf, findAccount, find, send, openAccount, onboardingLink };

const NAME_MAX = 255;

const platformSchema = accountSchema.pick({ object: true, id: true }).extend({
  settings: z.object({ dashboard: z.object({ display_name: z.string().nullish() }).nullish() }).nullish(),
  business_profile: z.object({ name: z.string().nullish() }).nullish(),
});

async function platformOf(access: TransferAccess): ReturnType<TransferClient['platformOf']> {
  const answer = await ask(access, (stripe) => stripe.accounts.retrieveCurrent());
  if (answer.kind === 'refusal' && isAboutTheKey(answer.refusal)) {
    throw validationError([{ path: 'secretKey', message: answer.refusal.reason }]);
  }
  const { id, settings, business_profile } = bodyOf(answer, platformSchema);
  const name = settings?.dashboard?.display_name || business_profile?.name;
  return {
    id,
    name:
      name
        ?.replaceAll(/[\s\p{C}]+/gu, ' ')
        .trim()
        .slice(0, NAME_MAX) || null,
  };
}

async function flawOf(access: TransferAccess, account: string): ReturnType<TransferClient['flawOf']> {
  const found = await findAccount(access, account);
  if (found === null) return 'The account is not connected to your Stripe account: let the partner sign up again';
  return flawOfAccount(found);
}

/** Null for an account that is not connected to the one that the key belongs to. */
async function findAccount(access: TransferAccess, account: string): Promise<Account | null> {
  const answer = await ask(access, (stripe) => stripe.accounts.retrieve(account));
  if (answer.kind !== 'refusal') return bodyOf(answer, accountSchema);
  const { status, code, reason } = answer.refusal;
  if (code === 'account_invalid' || code === 'resource_missing' || status === 404) return null;
  if (status === 401) throw new ServiceError('INVALID_STATE', `${reason}. Store a valid secret key`);
  // such as a restricted key that may not read accounts
  if (status === 403) throw new ServiceError('INVALID_STATE', `Your secret key may not read the account: ${reason}`);
  throw unavailable(reason);
}

/** How often an account is ordered under another key, after Stripe repeated an earlier refusal. */
const KEYS_MAX = 20;

/**
 * The idempotency key depends on everything that is sent, because Stripe refuses a key that comes with another body. Stripe
 * repeats a refusal for a day, even after its reason is gone, such as a form that the operator had not sent. The order
 * is then sent under the next key: at worst, after a failure of Stripe, there is an account that nobody uses.
 */
async function openAccount(
  access: TransferAccess,
  { id, email, country }: Parameters<TransferClient['openAccount']>[1],
): Promise<string> {
  const order = {
    email,
    ...(country === null ? {} : { country }),
    capabilities: { transfers: { requested: true } },
    // what `type: 'express'` stood for, which is deprecated: https://docs.stripe.com/connect/migrate-to-controller-properties
    controller: {
      fees: { payer: 'application' as const },
      losses: { payments: 'application' as const },
      requirement_collection: 'stripe' as const,
      stripe_dashboard: { type: 'express' as const },
    },
    metadata: { refbridgePartnerId: id },
  };
  const digest = createHash('sha256').update(JSON.stringify(order)).digest('hex').slice(0, 32);
  const create = (attempt: number) =>
    ask(access, (stripe) =>
      stripe.accounts.create(order, { idempotencyKey: `account_${id}_${digest}${attempt === 1 ? '' : `_${attempt}`}` }),
    );
  let answer = await create(1);
  for (let attempt = 2; attempt <= KEYS_MAX && answer.isReplayed && answer.kind !== 'success'; attempt += 1) {
    answer = await create(attempt);
  }
  if (answer.kind === 'refusal') throw refusedBy(answer.refusal);
  return bodyOf(answer, accountSchema.pick({ id: true })).id;
}

const linkSchema = z.object({ url: z.url({ protocol: /^https$/ }), expires_at: z.int().positive() });

async function onboardingLink(
  access: TransferAccess,
  account: string,
  { returnUrl, refreshUrl }: Parameters<TransferClient['onboardingLink']>[2],
): ReturnType<TransferClient['onboardingLink']> {
  const order = { account, refresh_url: refreshUrl, return_url: returnUrl, type: 'account_onboarding' as const };
  const answer = await ask(access, (stripe) => stripe.accountLinks.create(order));
  if (answer.kind === 'refusal') throw refusedBy(answer.refusal);
  const { url, expires_at } = bodyOf(answer, linkSchema);
  return { url, expires: expires_at * 1000 };
}

const refusedBy = ({ reason }: Refusal) => new ServiceError('INVALID_STATE', reason);

const unavailable = (reason: string, retryAfterSeconds?: number) =>
  new ServiceError('UNAVAILABLE', reason, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

/** @throws ServiceError `UNAVAILABLE` for anything but an answer of this form */
function bodyOf<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> {
  if (answer.kind === 'refusal') throw unavailable(answer.refusal.reason);
  if (answer.kind === 'unknown') throw unavailable(answer.reason, answer.retryAfterSeconds);
  const body = schema.safeParse(answer.body);
  if (!body.success) throw unavailable("Stripe's answer has an unexpected form");
  return body.data;
}
