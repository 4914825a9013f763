/** How one call is made. */
export interface CallOptions {
  /** Aborts the call, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time limit in milliseconds, including retries; the client's `requestTimeoutMs` by default. */
  timeoutMs?: number | undefined;
  /** The maximum number of retries; the client's `retries` by default. */
  retries?: number | undefined;
  /** Sent instead of the API key: the `publicToken` of an embed token. Null sends none. */
  token?: string | null | undefined;
  /** Further headers, such as the `cookie` of an operator's session. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Receives each response, for its headers and status. Its body belongs to the client. */
  onResponse?: ((response: Response) => void) | undefined;
}
