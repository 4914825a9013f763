import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateFiles } from '../../.ci/generate/files.ts';
import { ROOT } from '../helpers/source-modules.ts';

const files = await generateFiles();

describe('the generated files', () => {
  it('are exactly these', () => {
    expect([...files.keys()].sort()).toEqual([
      'docs/api.md',
      'src/cli/api/route-lists.ts',
      'src/cli/fields/declared.ts',
      'src/client/api-calls.ts',
      'src/client/api-errors.ts',
      'src/client/api-methods.ts',
      'src/client/api-paths.ts',
      'src/client/api-types.ts',
      'src/web/reference/index.html',
      'src/web/reference/openapi.json',
    ]);
  });

  it.each([...files])('%s is up to date with the routes', (path, text) => {
    const isUpToDate = readFileSync(join(ROOT, path), 'utf8') === text;
    expect(isUpToDate, `${path} is out of date: npm run generate`).toBe(true);
  });

  it.each([
    ['createLink', "Requires an API key or an operator's session."],
    ['trackSale', 'Requires an API key.'],
    ['listOperators', "Requires an operator's session."],
    ['getPortalConfig', "Requires an embed token or a partner's session in the portal."],
    ['receiveWebhook', 'Requires the signature of the processor.'],
    ['followLink', 'Requires no credential.'],
  ])('say in the reference which credentials %s takes', (id, sentence) => {
    const [, page = ''] = (files.get('src/web/reference/index.html') ?? '').split(`<h3 id="${id}-title">`);
    const [, credential = ''] = /<p class="credential">(.*?)<\/p>/.exec(page) ?? [];
    expect(credential.replace(/<[^>]+>/g, '').replaceAll('&#39;', "'")).toBe(sentence);
  });
});
