import type { IncomingMessage, ServerResponse } from 'node:http';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { refbridge as refbridgePlugin } from 'refbridge/better-auth';
import type { Client } from 'refbridge/client';
import { expressClickCookie } from 'refbridge/middleware';

/** A shop whose sign-ups Better Auth handles: keeps the click, and each sign-up with a click is a lead. */
export function createShop(refbridge: Pick<Client, 'trackLead'>, settings: { baseURL: string; domain?: string }) {
  const { baseURL, domain } = settings;
  const ofCookie = domain === undefined ? {} : { domain };
  const auth = betterAuth({
    baseURL,
    secret: process.env.BETTER_AUTH_SECRET ?? 'only-for-trying-it-out-0123456789abcdef',
    // put your database here
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    plugins: [refbridgePlugin({ client: refbridge, ...ofCookie })],
  });
  const keepClick = expressClickCookie(ofCookie);
  const answerAuth = toNodeHandler(auth);
  return (request: IncomingMessage, response: ServerResponse) =>
    keepClick(request, response, () => {
      if (request.url?.startsWith('/api/auth/')) void answerAuth(request, response);
      else response.end('Lamps');
    });
}
