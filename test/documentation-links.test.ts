import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, proseOf, readDocumentation } from './helpers/markdown.ts';
import { ROOT } from './helpers/source-modules.ts';

const pages = readDocumentation();
const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));

/** The links of every page to files and headings of the repository. */
const links = pages.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]+))?\)/g)].map(([, target = '', anchor]) => ({
    from: page.path,
    to: target === '' ? page.path : join(dirname(page.path), target),
    anchor,
  })),
);

describe('the links of the pages', () => {
  it('lead to existing files', () => {
    expect(links.length).toBeGreaterThan(150);
    expect(links.filter(({ to }) => !existsSync(join(ROOT, to)))).toEqual([]);
  });

  it('lead to existing headings', () => {
    const named = links.filter(({ anchor }) => anchor !== undefined);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ to, anchor = '' }) => !anchors.get(to)?.has(anchor))).toEqual([]);
  });
});
