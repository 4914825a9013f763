import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import proxyAddress from 'proxy-addr';

/** Whether the address at this hop is a trusted proxy: Express's compiled `trust proxy`. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** The nearest address that is not a trusted proxy, as Express's `request.ip`, also for requests that bypass Express. */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  // a closed connection has no address
  return proxyAddress(request, isTrusted) ?? '';
}

/** The network of one customer: an IPv4 address, or the 64-bit prefix that a provider assigns on IPv6. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
