import { text } from './fields.ts';

/** A host as it is compared: lower case, international names in their ASCII form, no port where it is the usual one. */
export const hostField = text().transform((value, context) => {
  const host = parseHost(value);
  if (host !== null) return host;
  context.addIssue({ code: 'custom', message: 'must be a host, for example "refer.example.com" or "localhost:3000"' });
  return '';
});

/** Null for anything but a host with an optional port. */
export function parseHost(value: string): string | null {
  if (/[\s/\\?#@%]/.test(value)) return null;
  const url = URL.parse(`https://${value}`);
  if (url === null || url.hostname === '') return null;
  return url.port === '80' ? url.hostname : url.host;
}
