import { type NextRequest, NextResponse } from 'next/server';
import { setClickCookie } from 'refbridge/middleware';

/** Keeps the click. In Next.js 15, the file is called `middleware.ts` and the function `middleware`. */
export function proxy(request: NextRequest) {
  const domain = process.env.SHOP_DOMAIN;
  return setClickCookie(request, NextResponse.next(), domain ? { domain } : {});
}
