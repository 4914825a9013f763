import { createClient } from 'refbridge/client';
import { createShop } from './app.ts';

const refbridge = createClient({ baseUrl: process.env.REFBRIDGE_URL, apiKey: process.env.REFBRIDGE_API_KEY });
await createShop(refbridge, process.env.SHOP_DOMAIN).listen({ port: 3000 });
