import { createHash } from 'node:crypto';

/** What one page of the shop shows. */
export interface ShopView {
  /** Leads to this shop, through Ana's link. */
  linkUrl: string;
  /** Ana's portal, with a token. */
  frameUrl: string;
  /** A sentence about what just happened. */
  message: string;
  mayBuy: boolean;
}

const STYLE = `
html { background: Canvas; color: CanvasText; }
:root { color-scheme: light dark; --line: #d6d3d1; --accent: #15803d; }
@media (prefers-color-scheme: dark) { :root { --line: #44403c; --accent: #4ade80; } }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.125rem; margin-top: 2.5rem; }
ol { padding-left: 1.25rem; } li { margin-block: .75rem; }
[role=status] { border-left: 3px solid var(--accent); padding-left: .75rem; }
a, button { color: var(--accent); font: inherit; }
button { padding: .4rem 1rem; border: 1px solid currentColor; border-radius: .4rem; background: none; cursor: pointer; }
button:disabled { opacity: .5; cursor: default; }
iframe { width: 100%; height: 40rem; border: 1px solid var(--line); border-radius: .6rem; }
`;

/** The framed portal reports its height. */
const SCRIPT = `
const frame = document.querySelector('iframe');
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow || data?.event !== 'PAGE_HEIGHT') return;
  frame.style.height = Math.ceil(Number(data.data.height)) + 2 + 'px';
});
`;

/** The page as HTML: a shop, and below it what its partner Ana sees in her account. */
export function shopPage({ linkUrl, frameUrl, message, mayBuy }: ShopView): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Fern &amp; Field</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Fern &amp; Field</h1>
<p role="status">${escaped(message)}</p>
<ol>
<li><a href="${escaped(linkUrl)}">Come here through Ana's link</a></li>
<li><form method="post" action="/buy"><button${mayBuy ? '' : ' disabled'}>Sign up and buy for 49 USD</button></form></li>
<li>Look below, and at the dashboard.</li>
</ol>
<h2>What Ana sees in her account</h2>
<iframe src="${escaped(frameUrl)}" title="Ana's referrals"></iframe>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** The `Content-Security-Policy` of that page. */
export function shopPolicy(serviceUrl: string): string {
  return [
    "default-src 'none'",
    `style-src '${digestOf(STYLE)}'`,
    `script-src '${digestOf(SCRIPT)}'`,
    // the empty icon, without which browsers ask for /favicon.ico
    'img-src data:',
    `frame-src ${serviceUrl}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
