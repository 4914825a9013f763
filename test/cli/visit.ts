import { clickThrough, VISITOR } from '../helpers/story.ts';

/** Follows a partner link as a visitor does; returns the click's id. */
export function visit(shortLink: string): Promise<string> {
  return clickThrough(() => fetch(shortLink, { redirect: 'manual', headers: { 'user-agent': VISITOR } }));
}
