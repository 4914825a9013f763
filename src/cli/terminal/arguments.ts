import { InvalidArgumentError } from 'commander';

/** A whole number from 1 on, as an option's value. */
export function readWholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return value;
}

/** For an option that may be repeated, each time also with several values between commas. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())].filter((part) => part !== '');
}

/** For an option that may be repeated and whose values may hold commas. */
export function collectEach(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
