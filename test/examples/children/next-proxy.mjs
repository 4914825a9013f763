// Calls the proxy of examples/nextjs, which was copied beside this file, with requests of the Next.js installed here.
import { createRequire, registerHooks } from 'node:module';

// Next.js itself resolves `next/server` without its extension; Node needs the full file name
registerHooks({
  resolve: (name, context, next) => next(name === 'next/server' ? 'next/server.js' : name, context),
});

const require = createRequire(import.meta.url);
const { NextRequest } = require('next/server.js');
const { proxy } = await import(new URL('proxy.ts', import.meta.url).href);
const click = 'svc_id=clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const urls = [`https://shop.example.com/?${click}`, `http://localhost:3000/?${click}`, 'https://shop.example.com/'];
const answers = urls.map((url) => {
  const { headers } = proxy(new NextRequest(url));
  return {
    isNext: headers.get('x-middleware-next') === '1',
    cookies: headers.getSetCookie(),
    cacheControl: headers.get('cache-control'),
  };
});
process.stdout.write(JSON.stringify({ version: require('next/package.json').version, answers }));
