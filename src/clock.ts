/** Epoch milliseconds. Passed in wherever time matters, so that tests choose it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
