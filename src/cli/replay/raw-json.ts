/** Serializes a number as exactly this text. TypeScript's library does not declare it yet. */
export const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };
