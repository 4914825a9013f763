import { createServer } from 'node:http';
import { toNodeHandler } from 'better-auth/node';
import { createClient } from 'refbridge/client';
import { createAuth } from './app.ts';

const refbridge = createClient({ baseUrl: process.env.REFBRIDGE_URL, apiKey: process.env.REFBRIDGE_API_KEY });
createServer(toNodeHandler(createAuth(refbridge, { baseURL: 'http://localhost:3000' }))).listen(3000);
