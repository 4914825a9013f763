// Calls the proxy of examples/nextjs, copied beside this file, with requests of the Next.js that is installed here.
import { createRequire, registerHooks } from 'node:module';

// Next.js itself finds `next/server` without its extension; Node wants the file's name
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
