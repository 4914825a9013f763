import { CACHE_CONTROL, type ClickCookieOptions, clickCookies } from './click-cookie.ts';

/** The part of Fastify that is used here. */
interface FastifyRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  originalUrl: string;
  protocol: string;
}
interface FastifyReply {
  header(name: string, value: string): unknown;
}
interface FastifyInstance {
  addHook(
    name: 'onSend',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void) => void,
  ): unknown;
}

/** A plugin for Fastify: answers a visit with `?svc_id=` with the cookie. `app.register(fastifyClickCookie, { domain })`. */
export function fastifyClickCookie(app: FastifyInstance, options: ClickCookieOptions, done: () => void): void {
  app.addHook('onSend', (request, reply, _payload, sent) => {
    const { headers, originalUrl, protocol } = request;
    const isSecure = options.secure ?? (protocol === 'https' || undefined);
    const cookies = clickCookies(
      { headers, url: originalUrl },
      isSecure === undefined ? options : { ...options, secure: isSecure },
    );
    // Fastify keeps the cookies that were set before
    for (const cookie of cookies) reply.header('Set-Cookie', cookie);
    if (cookies.length > 0) reply.header('Cache-Control', CACHE_CONTROL);
    sent();
  });
  done();
}

// Fastify's own mark for a plugin that is about the whole app, instead of only what is registered inside it
Object.assign(fastifyClickCookie, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'refbridge',
});
