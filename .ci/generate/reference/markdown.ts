import { escapeHtml, Html } from './html.ts';

/** Renders the Markdown that descriptions use: paragraphs, lists, `code`, **bold**, and links to an #id or https:// address. */
export function markdown(text: string): Html {
  const blocks = text.trim().split(/\n\n+/);
  return new Html(blocks.map(block).join('\n'));
}

/** A line of Markdown, without a paragraph around it. */
export function inline(text: string): Html {
  // Text between backticks stays unchanged.
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : styled(part)));
  return new Html(parts.join('').replaceAll('  ', ' '));
}

function block(text: string): string {
  const lines = text.split('\n');
  if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(lines.join(' ')).text}</p>`;
  return `<ul>${lines.map((line) => `<li>${inline(line.slice(2)).text}</li>`).join('')}</ul>`;
}

function styled(text: string): string {
  return escapeHtml(text)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\((#[\w-]+|https:[^\s)]+)\)/g, '<a href="$2">$1</a>');
}
