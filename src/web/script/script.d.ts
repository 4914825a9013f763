/** The click that brought this visitor. */
export interface RefbridgeClick {
  /** What the lead and sale calls of your server take as `clickId`. */
  id: string;
  /** Epoch milliseconds; null for an id that does not tell. */
  clickedAt: number | null;
}

/** `window.refbridge`, as `/script.js` puts it there. Nothing of it throws. */
export interface Refbridge {
  /** The id in the cookie `svc_id`; null without one, without storage, and for a visitor who refused. */
  getClickId(): string | null;
  getClick(): RefbridgeClick | null;
  /** Forgets the click: for a visitor who takes back their consent. */
  reset(): void;
  /** Settles when the address of this page was looked at, a `?via=` link was answered included. Never rejects. */
  readonly ready: Promise<string | null>;
}

declare global {
  interface Window {
    /** Absent until the script has run, and where it was blocked. */
    refbridge?: Refbridge;
  }
}
