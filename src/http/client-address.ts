import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

/** Whether the address at this hop is a trusted proxy: Express's compiled `trust proxy`. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** @param trustProxy as Express's `trust proxy` */
export function trustedProxies(trustProxy: boolean | number | string): IsTrustedProxy {
  if (typeof trustProxy === 'boolean') return () => trustProxy;
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy;
  return proxyAddress.compile(trustProxy.split(',').map((network) => network.trim()));
}

/** The nearest address that is not a trusted proxy, like Express's `request.ip`, also for requests that bypass Express. */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  // a closed connection has no address
  return proxyAddress(request, isTrusted) ?? '';
}
