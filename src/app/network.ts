import { isIP } from 'node:net';

/**
 * The network of one customer: an IPv4 address, or the 64-bit prefix that a provider assigns on IPv6. Whatever is no
 * address is one network, because a text that differs on each request would avoid every limit.
 */
export function networkOf(address: string): string {
  const version = isIP(address);
  if (version === 0) return 'unknown';
  if (version === 4) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
