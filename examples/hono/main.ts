import { createClient } from 'refbridge/client';
import { createShop } from './app.ts';

const refbridge = createClient({ baseUrl: process.env.REFBRIDGE_URL, apiKey: process.env.REFBRIDGE_API_KEY });
// what Bun, Deno and Cloudflare Workers serve; on Node, pass it to @hono/node-server
export default createShop(refbridge, process.env.SHOP_DOMAIN);
