import { noticePage } from '../../app/notice-page.ts';
import type { RawReply, RequestFacts } from '../../app/route.ts';

/** Providers also return those who stopped in the middle, so it does not say that anything is done. */
const RETURNED = {
  status: 200,
  title: 'You can close this window',
  text: 'Return to your portal. It shows whether anything is still missing.',
};

const EXPIRED = {
  status: 200,
  title: 'This link has expired',
  text: 'Go back to your portal and continue there, or ask whoever sent you the link for a new one.',
};

/** The page to which a provider returns partners. */
export function afterOnboardingPage({ url }: Pick<RequestFacts, 'url'>): RawReply {
  const { searchParams } = new URL(url, 'http://localhost');
  return noticePage(searchParams.has('expired') ? EXPIRED : RETURNED);
}
