/**
 * How an operator connects a processor, in the processor's own words. The dashboard loads this file, so it must not
 * import anything from the server.
 */
export interface ProcessorGuide {
  /** The processor's own spelling of its name. */
  name: string;
  /** Where the processor's dashboard asks for the webhook URL. */
  place: string;
  /** What to choose there besides the URL. */
  choose: string;
  events: readonly string[];
  /** What the processor's dashboard calls the secret, and where it shows it. */
  secret: string;
  /** True when the secret is generated here and entered there. */
  isSecretOurs?: true;
  /** How the checkout tells us who the buyer is. */
  checkout: string;
  backfill: BackfillGuide | NoBackfill;
}

/** For a processor whose API lists the past. */
export interface BackfillGuide {
  /** What the processor's dashboard calls the access token, and where it is created. */
  accessToken: string;
  /** What the access token must be allowed, in the processor's own words. */
  permission: string;
  /** What is read, and how far back. */
  reads: string;
}

export interface NoBackfill {
  /** Why nothing can be read. */
  unavailable: string;
}
