import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestFacts } from '../app/route.ts';
import { clientAddress, type IsTrustedProxy } from './client-address.ts';

/** The facts of a request; computes the addresses on demand only. */
export class HttpRequestFacts implements RequestFacts {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly #request: IncomingMessage;
  readonly #isTrusted: IsTrustedProxy;

  constructor(request: IncomingMessage, isTrusted: IsTrustedProxy) {
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    this.headers = request.headers;
    this.#request = request;
    this.#isTrusted = isTrusted;
  }

  get address(): string {
    return clientAddress(this.#request, this.#isTrusted);
  }

  get isProxied(): boolean {
    return this.#isTrusted(this.#request.socket.remoteAddress ?? '', 0);
  }
}
