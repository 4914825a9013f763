import { createId } from '../../src/ids.ts';
import type { Transfer, TransferAccess } from '../../src/rails/contract/transfer.ts';
import { STRIPE_KEY, type StripeConnect } from '../helpers/stripe-connect.ts';

/** How the server that plays Stripe is called. */
export function accessTo({ url }: StripeConnect, fields: Partial<TransferAccess> = {}): TransferAccess {
  const { signal } = new AbortController();
  return { secretKey: STRIPE_KEY, apiUrl: url, fetch: globalThis.fetch, signal, ...fields };
}

/** A payment of 20 USD to an account that can be paid. */
export function transferIn({ platform }: StripeConnect, fields: Partial<Transfer> = {}): Transfer {
  const destination = platform.addAccount().id;
  return { payoutId: createId('pay'), amount: 2_000, currency: 'usd', destination, ...fields };
}

export const groupOf = ({ payoutId }: Transfer) => `payout_${payoutId}`;

export const CREATE = 'POST /v1/transfers';
export const LIST = 'GET /v1/transfers';
/** A transfer that is read by its id. */
export const READ = /^GET \/v1\/transfers\/tr_\w+$/;
