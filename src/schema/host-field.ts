import { text } from './fields.ts';

/** A canonical host: lower case, international names in ASCII form, without a default port and a final dot. */
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
  const { hostname = '', port = '' } = URL.parse(`https://${value}`) ?? {};
  // with the dot of the root, a name leads to the same machine
  const name = hostname.replace(/\.$/, '');
  if (name === '' || name.endsWith('.')) return null;
  return port === '' || port === '80' ? name : `${name}:${port}`;
}
