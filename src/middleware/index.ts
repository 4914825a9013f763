export { type ClickCookieOptions, clickCookie, clickCookies } from './click-cookie.ts';
export { expressClickCookie } from './express.ts';
export { fastifyClickCookie } from './fastify.ts';
export { setClickCookie, withClickCookie } from './fetch.ts';
export { honoClickCookie } from './hono.ts';
