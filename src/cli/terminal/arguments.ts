import { InvalidArgumentError } from 'commander';

/** Parses an option's value as a positive whole number. */
export function readWholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}

/** For an option that may be repeated and accepts comma-separated values. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())].filter((part) => part !== '');
}

/** For an option that may be repeated and whose values may contain commas. */
export function collectEach(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Parses an option's value as an address for requests. */
export function readUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('It must be an http or https URL.');
}
