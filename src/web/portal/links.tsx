/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answers } from './api.ts';
import { Empty, More, Pending } from './pieces.tsx';
import { useList, usePart, usePortal } from './portal.tsx';
import { QrCode } from './qr-code.tsx';
import { commissionInWords, termsInWords } from './terms.ts';
import { fill } from './words/index.ts';

type Link = Answers['links']['data'][number];

const SHOWN_MS = 2_000;

/** The partner's links, and what the partner earns with them. */
export function Links() {
  const { words, config } = usePortal();
  const list = useList('links', 20);
  const { data: terms } = usePart('terms');
  const { items } = list;
  const hasSeveral = (items?.length ?? 0) > 1;
  return (
    <section class="section" aria-labelledby="links">
      <div class="card hero">
        <h2 id="links">{hasSeveral ? words.yourLinks : words.yourLink}</h2>
        {items === null ? <Pending {...list} lines={2} /> : null}
        {items?.length === 0 && terms?.archivedAt === null ? (
          <Empty title={words.noLink} hint={fill(words.noLinkHint, { program: config.programName })} />
        ) : null}
        <ul class="links">
          {items?.map((link) => (
            <LinkRow key={link.id} link={link} hasSeveral={hasSeveral} />
          ))}
        </ul>
        <More list={list} />
        {items === null || items.length === 0 ? null : (
          <p class="quiet">{hasSeveral ? words.linksHint : words.linkHint}</p>
        )}
        <Terms />
      </div>
    </section>
  );
}

/** The terms in a sentence. */
export function Terms() {
  const { words, format } = usePortal();
  const { data } = usePart('terms');
  return data === null ? null : <p class="terms">{termsInWords(data, words, format)}</p>;
}

function LinkRow({ link, hasSeveral }: { link: Link; hasSeveral: boolean }) {
  const { words } = usePortal();
  const [showsCode, setShowsCode] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <li class="link">
      <div class="link-line">
        <input
          ref={input}
          class="address"
          readOnly
          value={link.shortLink}
          aria-label={words.yourLink}
          onFocus={() => input.current?.select()}
        />
        <div class="actions">
          <CopyButton input={input} text={link.shortLink} />
          <button type="button" class="button" aria-expanded={showsCode} onClick={() => setShowsCode(!showsCode)}>
            <QrIcon />
            {showsCode ? words.hideQrCode : words.qrCode}
          </button>
        </div>
      </div>
      <LinkFacts link={link} showsResults={hasSeveral} />
      {showsCode ? <QrCode link={link.shortLink} /> : null}
    </li>
  );
}

/** The link's own commission and, if there are other links, its results. */
function LinkFacts({ link, showsResults }: { link: Link; showsResults: boolean }) {
  const { words, format } = usePortal();
  const facts: string[] = [];
  if (showsResults && link.clicks !== null) {
    facts.push(`${words.clicks} ${format.number(link.clicks)}`);
    facts.push(`${words.leads} ${format.number(link.leads ?? 0)}`, `${words.sales} ${format.number(link.sales ?? 0)}`);
  }
  if (link.commission !== null) {
    facts.push(fill(words.linkCommission, { commission: commissionInWords(link.commission, words, format) }));
  }
  return facts.length === 0 ? null : <p class="quiet figures">{facts.join(' · ')}</p>;
}

function CopyButton({ input, text }: { input: { current: HTMLInputElement | null }; text: string }) {
  const { words } = usePortal();
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copyText(text, input.current)) ? 'copied' : 'failed');
  const label = { ready: words.copy, copied: words.copied, failed: words.copyFailed }[state];
  return (
    <button type="button" class="button primary" onClick={copy}>
      {label}
      <span class="sr-only" role="status">
        {state === 'ready' ? '' : label}
      </span>
    </button>
  );
}

/** A frame may use the clipboard only if the page around it allows that; selecting and copying always works. */
async function copyText(text: string, input: HTMLInputElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    input?.focus();
    input?.select();
    return document.execCommand('copy');
  }
}

function QrIcon() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d="M2 2h4.5v4.5H2zM9.5 2H14v4.5H9.5zM2 9.5h4.5V14H2zM9.5 9.5h2v2h-2zM14 9.5V11M9.5 14h1.5M13 13h1v1h-1z"
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
      />
    </svg>
  );
}
