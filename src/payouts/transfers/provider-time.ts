const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Sends requests, and remembers what time it was by the clock of whoever gave the last answer. */
export interface TimedRequests {
  fetch: typeof fetch;
  /** Epoch milliseconds; null before the first answer, and if the last one had no valid `Date`. */
  railNow(): number | null;
}

export function withTime(request: typeof fetch): TimedRequests {
  let railNow: number | null = null;
  return {
    async fetch(...parameters) {
      const response = await request(...parameters);
      railNow = timeOf(response.headers.get('date') ?? '');
      return response;
    },
    railNow: () => railNow,
  };
}

function timeOf(date: string): number | null {
  const time = HTTP_DATE.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
