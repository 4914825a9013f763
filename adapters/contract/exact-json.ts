/** `JSON.parse` passes the source text of a primitive to its reviver; TypeScript's library does not declare that yet. */
interface ReviverContext {
  source?: string;
}

/**
 * Parses a JSON object and keeps every number as its source text: `820982911946154508` and `25.4870` stay as they are,
 * while a double would lose digits. Null for anything but a JSON object; never throws.
 */
export function parseExactJson(rawBody: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(rawBody.toString('utf8'), numberAsText);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // not JSON, or nested too deeply for the reviver's recursion
    return null;
  }
}

function numberAsText(_key: string, value: unknown, context?: ReviverContext): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
