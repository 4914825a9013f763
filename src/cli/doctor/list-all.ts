import type { Page } from '../../app/page.ts';

const PAGE_SIZE = '100';
const PAGES_MAX = 50;

/** All entries of a list, at most 5,000. */
export async function listAll<Resource>(
  list: (query: Record<string, string>) => Promise<Page<Resource>>,
): Promise<Resource[]> {
  const all: Resource[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page: Page<Resource> = await list({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) });
    all.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return all;
}
