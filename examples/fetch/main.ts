import { createClient } from 'refbridge/client';
import { createShop } from './app.ts';

const refbridge = createClient({ baseUrl: process.env.REFBRIDGE_URL, apiKey: process.env.REFBRIDGE_API_KEY });
// `bun main.ts`, `deno serve main.ts` and Cloudflare Workers serve this
export default createShop(refbridge, process.env.SHOP_DOMAIN);
