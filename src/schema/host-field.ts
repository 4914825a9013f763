import { text } from './fields.ts';

/** A canonical host: lower case, international names in ASCII form, without a default port. */
export const hostField = text()
  .refine((value) => parseHost(value) !== null, {
    error: 'must be a host, for example "refer.example.com" or "localhost:3000"',
    when: ({ issues }) => issues.length === 0,
  })
  .overwrite((value) => parseHost(value) ?? value)
  .meta({ examples: ['refer.example.com'] });

/** Null for anything but a host with an optional port. */
export function parseHost(value: string): string | null {
  if (/[\s/\\?#@%]/.test(value)) return null;
  const url = URL.parse(`https://${value}`);
  if (url === null || url.hostname === '') return null;
  return url.port === '80' ? url.hostname : url.host;
}
