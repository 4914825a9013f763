import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import proxyAddress from 'proxy-addr';

/** Whether this address, so many hops away, is a proxy of ours: Express's compiled `trust proxy`. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** The nearest address that is no trusted proxy: what Express answers as `request.ip`, also for requests it never saw. */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  // a connection that is gone already has no address
  return proxyAddress(request, isTrusted) ?? '';
}

/** What one person commands: an IPv4 address, or the 64 bits that a provider gives one customer of IPv6. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
