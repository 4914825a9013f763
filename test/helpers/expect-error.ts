import { expect } from 'vitest';
import type { Answer } from './app.ts';

/** The JSON shape of every error. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(answer.body)).toEqual(['error']);
  const members = code === 'VALIDATION_ERROR' ? ['code', 'message', 'details'] : ['code', 'message'];
  expect(Object.keys(answer.body.error)).toEqual(members);
  expect(answer.body.error.message.length).toBeGreaterThan(5);
}
