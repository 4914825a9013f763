import type { Answer } from './app.ts';

/** Retries after 503, as a caller does, because a request may wait too long for a lock. */
export async function untilTaken(send: () => Promise<Answer>): Promise<Answer> {
  const answer = await send();
  return answer.status === 503 ? untilTaken(send) : answer;
}
