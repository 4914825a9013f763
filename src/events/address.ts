import { BlockList, isIP } from 'node:net';

/** Networks outside the public internet. An event sent there could reach what only this machine may reach. */
const NOT_PUBLIC_V4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // link-local, including the metadata services of clouds
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** In IPv6, only global unicast addresses are public. */
const GLOBAL_V6: readonly [network: string, bits: number] = ['2000::', 3];

/** Parts of the global range that are not public. Some embed IPv4 addresses, which could lead anywhere. */
const NOT_PUBLIC_V6: readonly [network: string, bits: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const refusedV4 = new BlockList();
for (const [network, bits] of NOT_PUBLIC_V4) refusedV4.addSubnet(network, bits, 'ipv4');
const globalV6 = new BlockList();
globalV6.addSubnet(...GLOBAL_V6, 'ipv6');
const refusedV6 = new BlockList();
for (const [network, bits] of NOT_PUBLIC_V6) refusedV6.addSubnet(network, bits, 'ipv6');

/** Names that mean this machine or its network, wherever they are resolved. */
const INNER_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|home\.arpa|localdomain)$/;

/**
 * True for an IP address of the public internet. False for private, loopback, link-local, shared, reserved and
 * multicast addresses, for IPv6 addresses that embed an IPv4 address (mapped, 6to4, NAT64), and for anything that is
 * not an address.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Hosts that events may be sent to although they are not public (`EVENT_ALLOWED_HOSTS`), in lower case. */
export type AllowedHosts = ReadonlySet<string>;

/** The host of a URL in the form used for lookups: IPv6 without brackets, no trailing dots. */
export function hostnameOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
}

/**
 * Why events may not be sent to a URL; null when its text gives no reason. Its name may still resolve to an address
 * that is refused at connection time.
 */
export function refusalOf(url: URL, allowedHosts: AllowedHosts): string | null {
  // the parser has converted decimal, octal and hexadecimal forms of an IPv4 address to four numbers
  const host = hostnameOf(url);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  if (allowedHosts.has(host)) return null;
  if (url.protocol !== 'https:') return 'must be an https URL, unless EVENT_ALLOWED_HOSTS names its host';
  const isInner = isIP(host) === 0 ? INNER_NAME.test(host) || !host.includes('.') : !isPublicAddress(host);
  if (isInner) return 'must be on the public internet, unless EVENT_ALLOWED_HOSTS names its host';
  return null;
}
