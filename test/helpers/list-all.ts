import type { Answer, TestApp } from './app.ts';

/**
 * Every page of a list.
 *
 * @throws Error when a page is refused
 */
export async function listAll<Resource = Answer['body']>(
  { call }: Pick<TestApp, 'call'>,
  path: string,
  limit = 100,
): Promise<Resource[]> {
  const found: Resource[] = [];
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
  for (let cursor = ''; ; ) {
    const { status, body, text } = await call('GET', `${first}${cursor}`);
    if (status !== 200) throw new Error(`${path}: ${text}`);
    found.push(...body.data);
    if (body.nextCursor === null) return found;
    cursor = `&cursor=${body.nextCursor}`;
  }
}
