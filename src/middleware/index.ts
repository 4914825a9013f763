export { type ClickCookieOptions, clickCookie } from './click-cookie.ts';
export { expressClickCookie } from './express.ts';
export { withClickCookie } from './fetch.ts';
