import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { examplesFor } from './portal-examples.ts';

interface PortalPreviewsProps {
  /** What the portal would receive after saving. */
  config: Answer<'getPortalConfig'>;
  terms: Answer<'getPortalTerms'>;
}

/** Previews of the portal in both themes, from the unsaved input. */
export function PortalPreviews({ config, terms }: PortalPreviewsProps) {
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-3">
      <p className="text-sm text-muted-foreground">
        The portal as partners see it, with example figures. It updates as you type; partners see changes once they are
        saved.
      </p>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <PortalPreview scheme="light" config={config} terms={terms} />
        <PortalPreview scheme="dark" config={config} terms={terms} />
      </div>
    </section>
  );
}

/** Used until the portal reports its height. */
const HEIGHT_AT_FIRST = 900;
/** Of the frame, above and below the portal: in less, it would scroll. */
const BORDERS = 2;

const OPTIONS = encodeURIComponent(JSON.stringify({ backgroundColor: 'var(--background)' }));

/** The real portal in a frame, with examples instead of a partner's figures. */
function PortalPreview({ scheme, config, terms }: PortalPreviewsProps & { scheme: 'light' | 'dark' }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const [height, setHeight] = useState(HEIGHT_AT_FIRST);
  useEffect(() => {
    const follow = ({ source, data }: MessageEvent<{ event?: string; data?: { height?: number } }>) => {
      if (source !== frame.current?.contentWindow || data.event !== 'PAGE_HEIGHT') return;
      if (data.data?.height) setHeight(data.data.height);
    };
    addEventListener('message', follow);
    return () => removeEventListener('message', follow);
  }, []);
  // as text, so that it is sent again only when something has changed
  const shown = JSON.stringify({ config, parts: examplesFor(terms) });
  useEffect(() => {
    if (isReady) frame.current?.contentWindow?.postMessage(JSON.parse(shown), location.origin);
  }, [isReady, shown]);
  return (
    <figure className="flex min-w-0 flex-col gap-1.5">
      <figcaption className="text-xs font-medium text-muted-foreground">
        {scheme === 'light' ? 'On a light page' : 'On a dark page'}
      </figcaption>
      <iframe
        ref={frame}
        title={`The portal in its ${scheme} theme`}
        src={`/dashboard/portal-preview?theme=${scheme}&themeOptions=${OPTIONS}`}
        onLoad={() => setReady(true)}
        // for viewing only: there is no partner behind it
        inert
        className="w-full rounded-lg border"
        style={{ height: height + BORDERS }}
      />
    </figure>
  );
}
