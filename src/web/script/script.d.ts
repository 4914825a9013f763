/** The click that brought this visitor. */
export interface RefbridgeClick {
  /** The `clickId` for your server's lead and sale calls. */
  id: string;
  /** Epoch milliseconds; null when the id does not contain a time. */
  clickedAt: number | null;
}

/** `window.refbridge`, which `/script.js` sets. It never throws. */
export interface Refbridge {
  /** The id in the cookie `svc_id`; null without one, without storage, and for a visitor who opted out. */
  getClickId(): string | null;
  getClick(): RefbridgeClick | null;
  /** Deletes the click and stores none until the next page load, for a visitor who withdraws consent. */
  reset(): void;
  /** Settles when the URL of this page is processed, including the request for a `?via=` link. Never rejects. */
  readonly ready: Promise<string | null>;
}

/** Sent once on `document`, and bubbles to `window`, when `ready` settles; `detail` is the click id. */
export type RefbridgeReadyEvent = CustomEvent<string | null>;

declare global {
  interface DocumentEventMap {
    'refbridge:ready': RefbridgeReadyEvent;
  }
  interface WindowEventMap {
    'refbridge:ready': RefbridgeReadyEvent;
  }
  interface Window {
    /** Absent until the script has run, and when it is blocked. */
    refbridge?: Refbridge;
  }
}
