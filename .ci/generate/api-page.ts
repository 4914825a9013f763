import type { Credential, Route } from '../../src/app/route.ts';
import { ERROR_STATUS } from '../../src/errors.ts';
import { CHAPTERS } from './chapters.ts';
import { ERROR_CODES, ERROR_MEANINGS } from './error-meanings.ts';

export const CREDENTIAL_WORDS: Record<Credential, string> = {
  'api-key': 'API key or session',
  'api-key-only': 'API key',
  session: 'session',
  'embed-token': 'embed token or portal session',
  signature: 'signature',
  public: 'none',
};

/**
 * The page with new tables between `<!-- routes -->` and `<!-- /routes -->`, and between the same markers of `errors`.
 *
 * @throws Error if a marker is missing
 */
export function fillApiPage(page: string, routes: readonly Route[]): string {
  return replaceBetween(replaceBetween(page, 'routes', routeTable(routes)), 'errors', errorTable());
}

function routeTable(routes: readonly Route[]): string {
  const chapters = Object.keys(CHAPTERS);
  const rows = [...routes]
    .sort((a, b) => chapters.indexOf(a.tag) - chapters.indexOf(b.tag))
    .map(({ method, path, credential, summary }) => [`\`${method} ${path}\``, CREDENTIAL_WORDS[credential], summary]);
  return table(['route', 'credential', 'for'], rows);
}

function errorTable(): string {
  const rows = ERROR_CODES.map((code) => [
    String(ERROR_STATUS[code]),
    `\`${code}\``,
    ERROR_MEANINGS[code].when,
    ERROR_MEANINGS[code].repeat,
  ]);
  return table(['status', 'code', 'when', 'repeat'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function replaceBetween(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/api.md has no ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
