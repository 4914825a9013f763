import type { Answer } from '../../../parts/api.ts';
import { Code } from '../../ui/empty.tsx';
import { Time } from '../../ui/values.tsx';

interface OnboardingLinkProps {
  link: Answer<'createPayoutOnboardingLink'>;
  partner: Answer<'getPartner'>;
}

/** The page of Stripe at which a partner signs up, shown once. */
export function OnboardingLink({ link: { url, expires }, partner: { name } }: OnboardingLinkProps) {
  return (
    <>
      <Code text={url} label="Copy the link" />
      <p className="text-sm text-muted-foreground">
        Send it to {name} now: it works once, until <Time iso={expires} />. In the portal, they can open such a page by
        themselves at any time.
      </p>
    </>
  );
}
