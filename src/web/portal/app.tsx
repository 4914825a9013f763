/** @jsxImportSource preact */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Api, Failure } from './api.ts';
import { Earnings } from './earnings.tsx';
import type { Format } from './format.ts';
import { postError } from './frame.ts';
import { Links, Terms } from './links.tsx';
import { PaidBy } from './paid-by.tsx';
import { Payouts } from './payouts.tsx';
import { BusyButton } from './pieces.tsx';
import { type Portal, PortalContext } from './portal.tsx';
import { Results } from './results.tsx';
import type { Config } from './start.ts';
import type { Words } from './words/index.ts';

/** The longest delay of a timer: 24.8 days. */
const DELAY_MAX_MS = 2 ** 31 - 1;

export interface AppProps {
  api: Api;
  config: Config;
  words: Words;
  format: Format;
  parts: Readonly<Record<string, unknown>>;
  /** When the session ends, by the browser's clock; null when unknown. */
  endsAt: number | null;
}

/** The portal of one partner, with the parts that are switched on. */
export function App({ api, config, words, format, parts, endsAt }: AppProps) {
  const [ended, setEnded] = useState<string | null>(null);
  const posted = useMemo(() => new Set<string>(), []);
  const fail = ({ code, message }: Failure) => {
    if (code === 'UNAUTHORIZED') setEnded(words.sessionEnded);
    if (posted.has(code)) return;
    posted.add(code);
    postError(code, message);
  };
  const hasEnded = ended !== null;
  // the end of a session is reported once, whatever is tried afterwards
  const startAgain = () => (hasEnded ? undefined : posted.clear());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session has one end
  useEffect(() => {
    if (endsAt === null) return;
    const delay = Math.min(DELAY_MAX_MS, Math.max(0, endsAt - Date.now()));
    const end = () => fail(new Failure('UNAUTHORIZED', 'The embed token has expired'));
    const timer = setTimeout(() => Date.now() >= endsAt && end(), delay + 100);
    return () => clearTimeout(timer);
  }, [endsAt]);
  const portal: Portal = { api, config, words, format, parts, hasEnded, fail, startAgain };
  const { showReferralLink, showStats, showEarnings, showPayoutHistory, showBranding } = config;
  return (
    <PortalContext.Provider value={portal}>
      <main>
        <Head config={config} />
        <p class="notice" role="status">
          {ended}
        </p>
        {showReferralLink ? <Links /> : <Terms />}
        {showStats ? <Results /> : null}
        {showEarnings ? <Earnings /> : null}
        {showPayoutHistory ? <Payouts /> : null}
        {showPayoutHistory ? <PaidBy /> : null}
      </main>
      {showBranding ? <footer class="quiet">{words.poweredBy}</footer> : null}
    </PortalContext.Provider>
  );
}

/** Logo, title and description; without branding, only screen readers see the title. */
function Head({ config: { theme, showBranding } }: { config: Config }) {
  if (!showBranding) return <h1 class="sr-only">{theme.title}</h1>;
  return (
    <header>
      {theme.logoUrl === '' ? null : <img src={theme.logoUrl} alt="" />}
      <div>
        <h1>{theme.title}</h1>
        {theme.description === '' ? null : <p class="quiet">{theme.description}</p>}
      </div>
    </header>
  );
}

interface ClosedProps {
  words: Words;
  reason: string;
  /** Null where it would not help. */
  retry: (() => Promise<void>) | null;
}

/** Replaces a portal that cannot be opened. */
export function Closed({ words, reason, retry }: ClosedProps) {
  const [isBusy, setBusy] = useState(false);
  const tryAgain = async () => {
    setBusy(true);
    await retry?.();
    setBusy(false);
  };
  return (
    <main class="closed">
      <h1>{words.cannotOpen}</h1>
      <p class="quiet">{reason}</p>
      {retry === null ? null : (
        <div class="actions">
          <BusyButton isBusy={isBusy} onClick={tryAgain}>
            {words.retry}
          </BusyButton>
        </div>
      )}
    </main>
  );
}
