import { type CSSProperties, useLayoutEffect, useRef } from 'react';

/** Old themes name colours as bare HSL triples: `222 47% 11%`. */
const HSL_TRIPLE = /^[\d.]+(?:deg)?\s+[\d.]+%\s+[\d.]+%$/;

interface PortalPreviewProps {
  name: string;
  description: string;
  fontFamily: string;
  logoUrl: string;
  shown: Readonly<
    Record<'showReferralLink' | 'showEarnings' | 'showStats' | 'showPayoutHistory' | 'showBranding', boolean>
  >;
  scheme: 'light' | 'dark';
  colours: Readonly<Record<string, string>>;
}

const STATISTICS = [
  ['Clicks', '128'],
  ['Leads', '19'],
  ['Sales', '7'],
] as const;

/** The portal in small, with the colours as they are typed. */
export function PortalPreview({ name, description, fontFamily, logoUrl, shown, scheme, colours }: PortalPreviewProps) {
  const frame = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const style = frame.current?.style;
    if (style === undefined) return;
    style.colorScheme = scheme;
    style.fontFamily = fontFamily;
    for (const [property, value] of Object.entries(colours)) {
      style.setProperty(`--${property}`, HSL_TRIPLE.test(value) ? `hsl(${value})` : value);
    }
    return () => frame.current?.removeAttribute('style');
  }, [scheme, fontFamily, colours]);
  return (
    <figure
      ref={frame}
      aria-label={`The portal in its ${scheme} theme`}
      className="overflow-hidden rounded-lg border bg-background p-4 text-sm text-foreground"
    >
      <div className="flex items-center gap-2.5">
        {logoUrl.startsWith('https://') && <img src={logoUrl} alt="" className="size-7 rounded object-contain" />}
        <p className="font-semibold">{name}</p>
      </div>
      {description && <p className="mt-1 text-muted-foreground">{description}</p>}
      {shown.showReferralLink && (
        <div className="mt-3 flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate border border-input bg-card px-2.5 py-1.5" style={RADIUS}>
            {location.host}/ana
          </span>
          <span className="bg-primary px-3 py-1.5 font-medium text-primary-foreground" style={RADIUS}>
            Copy
          </span>
        </div>
      )}
      {shown.showStats && (
        <div className="mt-3 grid grid-cols-3 gap-2">
          {STATISTICS.map(([label, value]) => (
            <div key={label} className="border bg-card p-2.5 text-card-foreground" style={RADIUS}>
              <p className="text-xs text-muted-foreground">{label}</p>
              <p className="font-semibold tabular-nums">{value}</p>
            </div>
          ))}
        </div>
      )}
      {shown.showEarnings && (
        <div className="mt-2 flex justify-between border bg-card p-2.5 text-card-foreground" style={RADIUS}>
          <span className="text-muted-foreground">Earned</span>
          <span className="font-semibold tabular-nums">$84.20</span>
        </div>
      )}
      {shown.showPayoutHistory && (
        <div className="mt-2 flex justify-between border bg-card p-2.5 text-card-foreground" style={RADIUS}>
          <span className="text-muted-foreground">Last payout</span>
          <span className="tabular-nums">$41.00</span>
        </div>
      )}
      {shown.showBranding && <p className="mt-3 text-center text-xs text-muted-foreground">Powered by Refbridge</p>}
    </figure>
  );
}

const RADIUS: CSSProperties = { borderRadius: 'var(--radius)' };
