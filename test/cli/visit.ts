import { VISITOR } from '../helpers/story.ts';

/** Follows a partner link as a visitor does; returns the click's id. */
export async function visit(shortLink: string): Promise<string> {
  const answer = await fetch(shortLink, { redirect: 'manual', headers: { 'user-agent': VISITOR } });
  const clickId = URL.parse(answer.headers.get('location') ?? '')?.searchParams.get('svc_id');
  if (!clickId) throw new Error(`The redirect gave no click id: ${answer.status}`);
  return clickId;
}
