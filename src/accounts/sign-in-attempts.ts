import { z } from 'zod';

/** How many a browser may have at once, such as one in each of its tabs. A later one replaces the oldest. */
const ATTEMPTS_MAX = 3;
/** Browsers ignore a cookie of more than 4,096 bytes, name and attributes included. */
const COOKIE_CHARACTERS_MAX = 3_500;
/** Does not occur in base64url. */
const BETWEEN = '.';

/** An attempt as stored by the browser that started it. */
const attemptSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  accountId: z.string().nullable(),
  startedAt: z.number(),
});

export type Attempt = z.infer<typeof attemptSchema>;

/** The value of the browser's cookie after it has started another attempt; newest first. */
export function withAttempt(cookie: string | null, attempt: Attempt): string {
  const added = Buffer.from(JSON.stringify(attempt)).toString('base64url');
  const kept = [added, ...partsOf(cookie)].slice(0, ATTEMPTS_MAX);
  while (kept.length > 1 && kept.join(BETWEEN).length > COOKIE_CHARACTERS_MAX) kept.pop();
  return kept.join(BETWEEN);
}

/** The attempt with this state, and the cookie's value without it; null when the browser has not started it. */
export function takeAttempt(cookie: string | null, state: string | null): { attempt: Attempt; rest: string } | null {
  const parts = partsOf(cookie);
  for (const [place, part] of parts.entries()) {
    const attempt = readAttempt(part);
    if (attempt?.state === state) return { attempt, rest: parts.toSpliced(place, 1).join(BETWEEN) };
  }
  return null;
}

function partsOf(cookie: string | null): string[] {
  return cookie === null ? [] : cookie.split(BETWEEN);
}

function readAttempt(part: string): Attempt | null {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return null;
  }
}
