import { createHash } from 'node:crypto';
import { RawReply } from './route.ts';

const STYLE = `
:root { color-scheme: light dark; --back: #fafaf9; --text: #1c1917; --quiet: #57534e; }
@media (prefers-color-scheme: dark) { :root { --back: #1c1917; --text: #f5f5f4; --quiet: #a8a29e; } }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 2rem; box-sizing: border-box;
  background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; text-align: center; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; font-weight: 600; text-wrap: balance; }
p { margin: 0; max-width: 26rem; color: var(--quiet); text-wrap: balance; }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  // the empty icon, without which browsers ask for /favicon.ico
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Notice {
  status: number;
  title: string;
  /** What to do. Neither text may contain anything that a request contains. */
  text: string;
}

/** A page that tells people one thing. Supports light and dark mode without a script. Does not name the service. */
export function noticePage({ status, title, text }: Notice): RawReply {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
  return new RawReply(
    status,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    },
    page,
  );
}
