/** Reading what the service answered. */

/** What each answer contains: JSON without it comes from something else, such as a proxy's maintenance page. */
const ANSWER_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  '/api/track/lead': ['eventName'],
  '/api/track/sale': ['sale'],
  '/api/sales': ['sale', 'parkedPayment'],
  '/api/refunds': ['id', 'parkedPayment'],
  '/api/embed/token': ['publicToken'],
};

/** True for what the service answers to a tracking method. */
export function isAnswerOf(path: string, body: unknown): body is object {
  return isObject(body) && (ANSWER_MEMBERS[path] ?? []).some((member) => member in body);
}

/** The service's own error; `UNEXPECTED_ANSWER` when something else answered in its place. */
export function errorIn(body: unknown): { code: string; message: string } {
  const error = isObject(body) && 'error' in body ? body.error : null;
  const code = isObject(error) && 'code' in error ? error.code : null;
  const message = isObject(error) && 'message' in error ? error.message : null;
  if (typeof code === 'string' && typeof message === 'string') return { code, message };
  return { code: 'UNEXPECTED_ANSWER', message: 'The answer is not from Refbridge: check baseUrl' };
}

/** The JSON value; null for anything else. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Why a request failed that got no answer. */
export function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return cause instanceof Error ? cause.message : 'the request failed';
}
