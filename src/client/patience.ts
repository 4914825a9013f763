/**
 * A function that waits for `work`, for at most `timeoutMs`. It returns true to a caller that waited in vain; from then on,
 * it no longer waits and returns false.
 */
export function createPatience(work: Promise<void>, timeoutMs: number): () => Promise<boolean> {
  let isOver = false;
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  return async () => {
    if (isOver || isDone) return false;
    await settledWithin(done, timeoutMs);
    isOver = !isDone;
    return isOver;
  };
}

function settledWithin(work: Promise<void>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
