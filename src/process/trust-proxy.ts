import proxyAddress from 'proxy-addr';

export const TRUST_PROXY_TEXT =
  'must be false, the number of proxies in front (1), or their addresses (loopback, 10.0.0.0/8); "true" would let any client forge its address';

/** As Express's `trust proxy`; null for anything else, such as the name of a host. */
export function readTrustProxy(text: string): boolean | number | string | null {
  if (text === 'false' || text === '0') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  try {
    proxyAddress.compile(text.split(',').map((network) => network.trim()));
    return text;
  } catch {
    return null;
  }
}
