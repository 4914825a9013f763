/** How an operator connects a processor, in its own words. The dashboard shows it, so it must import nothing of the server. */
export interface ProcessorGuide {
  /** How the processor writes itself. */
  name: string;
  /** Where its dashboard takes the address. */
  place: string;
  /** What to choose there besides the address. */
  choose: string;
  events: readonly string[];
  /** What its dashboard calls the secret, and where it shows it. */
  secret: string;
  /** True when the secret is made here and entered there. */
  isSecretOurs?: true;
  /** How the checkout says who buys. */
  checkout: string;
}
