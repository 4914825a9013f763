/** `JSON.parse` calls its reviver with the source text of a primitive; the type library does not know that yet. */
interface ReviverContext {
  source?: string;
}

/**
 * A body's JSON object with every number as the text it was written in: `820982911946154508` and `25.4870` pass through
 * unchanged, where a double would lose digits. Null for anything that is no JSON object; never throws.
 */
export function parseExactJson(rawBody: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(rawBody.toString('utf8'), numberAsText);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // no JSON, or nested deeper than the reviver's recursion can go
    return null;
  }
}

function numberAsText(_key: string, value: unknown, context?: ReviverContext): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
