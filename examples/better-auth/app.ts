import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { refbridge as refbridgePlugin } from 'refbridge/better-auth';
import type { Client } from 'refbridge/client';

/** Sign-ups with Better Auth: each one with a click is a lead. */
export function createAuth(refbridge: Pick<Client, 'trackLead'>, settings: { baseURL: string; domain?: string }) {
  const { baseURL, domain } = settings;
  return betterAuth({
    baseURL,
    secret: process.env.BETTER_AUTH_SECRET ?? 'only-for-trying-it-out-0123456789abcdef',
    // put your database here
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    plugins: [refbridgePlugin({ client: refbridge, ...(domain === undefined ? {} : { domain }) })],
  });
}
