import { parse } from 'pg-connection-string';

export const POSTGRES_URL_TEXT =
  'postgres://user:password@host/database; in the password, write % as %25, / as %2F, # as %23, ? as %3F and @ as %40';

/** True for a URL that pg can read. */
export function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/./.test(text)) return false;
  try {
    // without the parameters: what is wrong with them, such as a missing certificate, is said on connecting
    const { user, port } = parse(text.replace(/\?.*/s, ''));
    // after a password that starts with digits and a slash, the user is taken for the host, and the digits for the port
    const isCut = user === '' && port !== '' && /^[^?]*@/.test(text);
    return !isCut;
  } catch {
    return false;
  }
}
