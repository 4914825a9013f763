/** A server, and the key for it. */
export interface Remote {
  /** Without a trailing slash. */
  url: string;
  apiKey: string;
  /** Where the key comes from, for messages: `--api-key`, `profile default`. */
  keyFrom: string;
}
