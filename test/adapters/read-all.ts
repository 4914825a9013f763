import { expect } from 'vitest';
import type { BackfillPage, BackfillRequest, ReadBackfillPage } from '../../adapters/contract/adapter.ts';
import { DEFAULT_SETTINGS } from './fixtures.ts';

export const SINCE = Date.UTC(2026, 10, 1);
export const UNTIL = Date.UTC(2027, 1, 1);

/** A request for the first page of November 2026 to January 2027, of an API at this address. */
export function requestTo(url: string | null, changes: Partial<BackfillRequest> = {}): BackfillRequest {
  return {
    accessToken: 'the-access-token',
    settings: { ...DEFAULT_SETTINGS, apiUrl: url },
    since: SINCE,
    until: UNTIL,
    cursor: null,
    fetch: globalThis.fetch,
    signal: new AbortController().signal,
    ...changes,
  };
}

const PAGES_MAX = 10;

export async function readAll(readPage: ReadBackfillPage, url: string): Promise<BackfillPage[]> {
  const pages: BackfillPage[] = [];
  let cursor: string | null = null;
  do {
    expect(pages.length).toBeLessThan(PAGES_MAX);
    const page = await readPage(requestTo(url, { cursor }));
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== null);
  return pages;
}

/** A time in the form of the APIs. */
export function timeText(time: number): string {
  return new Date(time).toISOString();
}
