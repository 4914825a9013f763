import type { ScryptOptions, scrypt } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { hashPassword, isPassword } from '../../src/accounts/passwords.ts';

const running = { now: 0, most: 0, all: 0 };
vi.mock('node:crypto', async (original) => {
  const actual = await original<typeof import('node:crypto')>();
  type Told = (error: Error | null, key: Buffer) => void;
  const counted = (password: string, salt: Buffer, length: number, options: ScryptOptions, told: Told) => {
    running.now += 1;
    running.all += 1;
    running.most = Math.max(running.most, running.now);
    actual.scrypt(password, salt, length, options, (error, key) => {
      running.now -= 1;
      told(error, key);
    });
  };
  return { ...actual, scrypt: counted as typeof scrypt };
});

it('many sign-ins at once use a single thread, so that commits still reach the disk', async () => {
  const stored = await hashPassword('correct horse');
  const answers = await Promise.all([
    isPassword('correct horse', stored),
    isPassword('wrong', stored),
    isPassword('correct horse', null),
    isPassword('correct horse', stored),
  ]);
  expect(answers).toEqual([true, false, false, true]);
  expect(running).toEqual({ now: 0, most: 1, all: 5 });
});

it('a sign-in that fails keeps nobody from signing in afterwards', async () => {
  const stored = await hashPassword('correct horse');
  const damaged = stored.replace('scrypt$32768', 'scrypt$3');
  const answers = await Promise.allSettled([isPassword('x', damaged), isPassword('correct horse', stored)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

it('a sign-in is refused at once while fifty others wait', async () => {
  const cheap = `scrypt$16$1$1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  const answers = await Promise.allSettled(Array.from({ length: 52 }, () => isPassword('x', cheap)));
  const refused = answers.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }) },
    refused[0],
  ]);
  expect(await isPassword('x', cheap)).toBe(false);
});
