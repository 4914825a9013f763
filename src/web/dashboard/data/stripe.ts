import type { Answer } from '../../parts/api.ts';
import { useRead } from './use-api.ts';

/** The Stripe account that pays partners. */
export type StripeConnection = NonNullable<Answer<'listRails'>['data'][number]['connection']>;

/** Where Stripe is connected. */
export const STRIPE_PATH = '/connections?connect=stripe';

/** The Stripe account that pays partners; null while none is connected, undefined until that is known. */
export function useStripe({ enabled = true } = {}) {
  const { data, error, refetch } = useRead('listRails', {}, { enabled });
  const stripe = data?.data.find(({ rail }) => rail === 'stripe');
  return { connection: stripe?.connection, error, refetch };
}
