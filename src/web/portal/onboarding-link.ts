import type { Api, Failure } from './api.ts';

/** A page of the provider, which no frame can show. It works once. */
export interface OnboardingLink {
  url: string;
  /** When it has expired, by the browser's clock. */
  endsAt: number;
}

/** How long a link is shown at least and at most, because the browser's clock may be wrong. */
const SHOWN_MS_MIN = 60_000;
const SHOWN_MS_MAX = 3_600_000;

/** @throws Failure */
export async function requestLink(api: Api, body: object): Promise<OnboardingLink> {
  const { url, expires } = await api.post('payout-onboarding', body);
  const now = Date.now();
  return { url, endsAt: now + Math.min(SHOWN_MS_MAX, Math.max(SHOWN_MS_MIN, Date.parse(expires) - now)) };
}

/** Why the provider opens no account or makes no link, in its own words; null for any other failure. */
export function reasonOf({ code, message }: Failure): string | null {
  return code === 'INVALID_STATE' ? message : null;
}
