/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keepFocusNear } from '../parts/kept-focus.ts';
import { Failure } from './api.ts';
import { type OnboardingLink, reasonOf, requestLink } from './onboarding-link.ts';
import { BusyButton, Refusal, State } from './pieces.tsx';
import { usePortal } from './portal.tsx';
import { fill } from './words/index.ts';

/** Who comes back to the page causes several events at once. */
const ASKED_AGAIN_AFTER_MS = 2000;

/** What Stripe says of the account; `silent` when it could not be asked. */
type Standing = 'asking' | 'ready' | 'missing' | 'silent';

interface StripeAccountProps {
  /** False when payouts are not sent by Stripe any more. */
  isOffered: boolean;
  link: OnboardingLink | null;
  onLink(link: OnboardingLink | null): void;
  /** Called when an account has to be opened first, in a country that the form asks for. */
  onCountry(): void;
}

/** Whether Stripe can pay the partner, and the way to what it needs. */
export function StripeAccount({ isOffered, ...way }: StripeAccountProps) {
  const { words, config, hasEnded } = usePortal();
  const { standing, ask } = useStanding(isOffered);
  if (!isOffered) {
    return (
      <div class="standing">
        <p>{fill(words.stripeNotOffered, { program: config.programName })}</p>
      </div>
    );
  }
  return (
    <div class="standing">
      <div role="status">
        {standing === 'asking' ? <p class="quiet">{words.stripeAsking}</p> : null}
        {standing === 'ready' ? <State tone="done">{words.stripeReady}</State> : null}
        {standing === 'missing' ? (
          <State tone="wait">
            <span class="strong">{words.stripeMissing}</span>
          </State>
        ) : null}
        {standing === 'silent' ? <p class="quiet">{words.stripeSilent}</p> : null}
      </div>
      {hasEnded || standing === 'ready' ? null : (
        <>
          {standing === 'missing' || way.link !== null ? <Way {...way} /> : null}
          {standing === 'silent' && way.link === null ? (
            <div class="actions">
              <BusyButton isBusy={false} onClick={ask}>
                {words.retry}
              </BusyButton>
            </div>
          ) : null}
        </>
      )}
    </div>
  );
}

/** Asks Stripe at first, and whenever the partner comes back, until it can pay. Nothing else waits for the answer. */
function useStanding(isOffered: boolean) {
  const { api, fail, hasEnded } = usePortal();
  const [standing, setStanding] = useState<Standing>('asking');
  const asked = useRef({ at: 0, isBusy: false, isOld: false });
  const ask = async (): Promise<void> => {
    // what is being asked may have been answered before the partner did something at Stripe
    asked.current.isOld = asked.current.isBusy;
    if (asked.current.isBusy) return;
    asked.current = { at: Date.now(), isBusy: true, isOld: false };
    try {
      const { isReady } = await api.get('payout-onboarding', 'payout-onboarding');
      setStanding(isReady ? 'ready' : 'missing');
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      // that the provider does not answer is no failure of the portal
      if (failure.code === 'UNAUTHORIZED') fail(failure);
      setStanding((before) => (before === 'missing' ? before : 'silent'));
    }
    asked.current.isBusy = false;
    if (asked.current.isOld) return ask();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked does not change
  useEffect(() => {
    if (!isOffered || hasEnded || standing === 'ready') return;
    if (asked.current.at === 0) void ask();
    const askAgain = () => {
      if (document.visibilityState === 'visible' && Date.now() - asked.current.at > ASKED_AGAIN_AFTER_MS) void ask();
    };
    document.addEventListener('visibilitychange', askAgain);
    addEventListener('focus', askAgain);
    return () => {
      document.removeEventListener('visibilitychange', askAgain);
      removeEventListener('focus', askAgain);
    };
  }, [isOffered, hasEnded, standing]);
  const retry = () => {
    setStanding('asking');
    void ask();
  };
  return { standing, ask: retry };
}

/**
 * A button that requests a link, and then the link: browsers open a new tab only for a press, which must not wait for an
 * answer. A link that was followed or has expired gives way to the button.
 */
function Way({ link, onLink, onCountry }: Omit<StripeAccountProps, 'isOffered'>) {
  const { words, api, fail, startAgain } = usePortal();
  const [state, setState] = useState<'ready' | 'busy' | 'gone' | 'failed' | { refusal: string }>('ready');
  const request = async () => {
    startAgain();
    setState('busy');
    try {
      onLink(await requestLink(api, { rail: 'stripe' }));
      setState('ready');
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (failure.paths.includes('country')) return onCountry();
      const refusal = reasonOf(failure);
      setState(refusal === null ? 'failed' : { refusal });
      if (refusal === null) fail(failure);
    }
  };
  if (link !== null) {
    return (
      <LinkOnce
        link={link}
        onFollowed={() => {
          setState('gone');
          onLink(null);
        }}
        onExpired={() => onLink(null)}
      />
    );
  }
  return (
    <>
      <p class="quiet">{state === 'gone' ? words.stripeComeBack : words.stripeMissingHint}</p>
      {state === 'failed' ? (
        <p class="problem" role="alert">
          {words.tryLater}
        </p>
      ) : null}
      {typeof state === 'object' ? <Refusal reason={state.refusal} /> : null}
      <div class="actions">
        <BusyButton isBusy={state === 'busy'} isMain onClick={request}>
          {words.continueAtStripe}
        </BusyButton>
      </div>
    </>
  );
}

interface LinkOnceProps {
  link: OnboardingLink;
  onFollowed(): void;
  onExpired(): void;
}

function LinkOnce({ link: { url, endsAt }, onFollowed, onExpired }: LinkOnceProps) {
  const { words } = usePortal();
  const anchor = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    const { current } = anchor;
    current?.focus();
    return () => {
      if (current !== null) keepFocusNear(current);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link expires once
  useEffect(() => {
    const timer = setTimeout(onExpired, endsAt - Date.now());
    return () => clearTimeout(timer);
  }, [endsAt]);
  return (
    <>
      <p class="quiet">{words.stripeLinkHint}</p>
      <div class="actions">
        {/* gone only after the browser has followed it */}
        <a
          ref={anchor}
          class="button primary"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => setTimeout(onFollowed)}
        >
          {words.openStripe}
          <span aria-hidden="true">↗</span>
        </a>
      </div>
    </>
  );
}
