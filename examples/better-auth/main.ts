import { createServer } from 'node:http';
import { createClient } from 'refbridge/client';
import { createShop } from './app.ts';

const refbridge = createClient({ baseUrl: process.env.REFBRIDGE_URL, apiKey: process.env.REFBRIDGE_API_KEY });
const domain = process.env.SHOP_DOMAIN;
const settings = { baseURL: 'http://localhost:3000', ...(domain === undefined ? {} : { domain }) };
createServer(createShop(refbridge, settings)).listen(3000);
