import { z } from 'zod';
import { text } from '../contract/fields.ts';
import type { TransferRail } from '../contract/rail.ts';
import { stripeAmountOf } from './amount.ts';
import { maskedAccount } from './masked-account.ts';

const details = z.object({
  account: text(64)
    .refine(
      (value) => /^acct_[A-Za-z0-9]{8,}$/.test(value),
      'must be the id of a connected account, such as acct_1NabcdEXAMPLE',
    )
    .describe("The partner's connected account at Stripe. It is opened when the partner signs up there.")
    .meta({ examples: ['acct_1NabcdEXAMPLE'] }),
});

type Details = z.output<typeof details>;

/** Transfers of Stripe Connect, from the platform's balance to a connected account. */
export const stripe: TransferRail<Details> = {
  kind: 'transfer',
  name: 'stripe',
  details,
  secretKey: text(255).refine(
    (value) => /^[rs]k_(live|test)_[A-Za-z0-9]+$/.test(value),
    'must be a secret or restricted key, such as rk_live_…',
  ),
  isLive: (secretKey) => secretKey.includes('_live_'),
  apiHosts: ['api.stripe.com'],
  masked: ({ account }) => ({ account: maskedAccount(account) }),
  accountOf: ({ account }) => account,
  detailsOf: (account) => ({ account }),
  refusalOf: ({ amount, currency }) => {
    const converted = stripeAmountOf(amount, currency);
    return 'problem' in converted ? converted.problem : null;
  },
  client: async () => (await import('./client.ts')).client,
};
