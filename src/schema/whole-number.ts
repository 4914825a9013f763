import { z } from 'zod';

/** A whole number in the given range, both ends included. */
export function wholeNumber(min: number, max: number) {
  const problem = `must be a whole number from ${min} to ${max}`;
  return (
    z
      .number()
      .refine((value) => Number.isInteger(value) && value >= min && value <= max, problem)
      // −0 is zero
      .overwrite((value) => value + 0)
      .meta({ type: 'integer', minimum: min, maximum: max })
  );
}
