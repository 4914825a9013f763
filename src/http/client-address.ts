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

/**
 * The nearest address that is not a trusted proxy, like Express's `request.ip`, also for requests that bypass Express.
 * Without the port that some proxies add, such as Azure's: with it, every connection would be another client.
 */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  // a closed connection has no address
  return withoutPort(proxyAddress(request, (address, hop) => isTrusted(withoutPort(address), hop)) ?? '');
}

/** `203.0.113.7:40001` and `[2001:db8::1]:40001` without port and brackets; any other text unchanged. */
function withoutPort(address: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/.exec(address) ?? [];
  return v4 ?? v6 ?? address;
}
