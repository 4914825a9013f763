import { ERROR_STATUS, type ErrorCode } from '../../../src/errors.ts';
import { ERROR_CODES, ERROR_MEANINGS, type ErrorMeaning } from '../error-meanings.ts';
import { TOPICS } from '../introduction.ts';
import { type OpenApiDocument, operationsOf, type PlacedOperation } from '../openapi.ts';
import { EVENT_SECTION, eventSection } from './event-section.ts';
import { type Html, html } from './html.ts';
import { inline, markdown } from './markdown.ts';
import { operationSection } from './operation-section.ts';

const REPEATS: Record<ErrorMeaning['repeat'], string> = {
  no: '',
  yes: ' Repeat the request.',
  'after `Retry-After`': ' Repeat the request after `Retry-After`.',
  'only if it is idempotent': ' Repeat the request only if it is idempotent.',
};

interface Chapter {
  name: string;
  id: string;
  description: string;
  operations: PlacedOperation[];
  events: Html | null;
}

/** The reference as one page that works without scripts. */
export function renderReference(document: OpenApiDocument): string {
  const chapters = chaptersOf(document);
  const { version, title } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Every operation of the Refbridge API: what it takes, what it returns, and how it fails.">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/api/reference.css">
<script src="/docs/api/reference.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<p class="brand"><a href="#content">Refbridge</a> <span>API ${version}</span></p>
<details class="menu">
<summary>Contents</summary>
<nav aria-label="Contents, short">${contents(chapters)}</nav>
</details>
</header>
<div class="page">
<nav class="side" aria-label="Contents">${contents(chapters)}</nav>
<main id="content" tabindex="-1">
<header class="intro">
<h1>${title}</h1>
<p class="lead">Report leads and sales, manage partners, links and payouts, and trace every webhook.</p>
<p>For tools, the same description is available as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
</header>
<section class="guide" aria-label="What holds for all operations">
${TOPICS.map(({ id, title: name, text }) => html`<section id="${id}">\n<h2><a href="#${id}">${name}</a></h2>\n${markdown(text)}\n</section>\n`)}
${errorTopic()}
</section>
${chapters.map((chapter) => chapterSection(chapter, document))}
</main>
</div>
</body>
</html>
`.text;
}

function chaptersOf(document: OpenApiDocument): Chapter[] {
  const operations = operationsOf(document);
  return (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    id: `chapter-${name.toLowerCase().replaceAll(' ', '-')}`,
    description,
    operations: operations.filter(({ tags }) => tags.includes(name)),
    events: eventSection(document, name),
  }));
}

function contents(chapters: readonly Chapter[]): Html {
  const topics = [...TOPICS, { id: 'errors', title: 'Errors' }];
  return html`
<p class="heading">Introduction</p>
<ul>${topics.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${chapters.map(
  ({ id, name, operations, events }) => html`<p class="heading"><a href="#${id}">${name}</a></p>
<ul>${operations.map(contentsEntry)}${
    events && html`<li><a href="#${EVENT_SECTION.id}"><span>${EVENT_SECTION.title}</span></a></li>`
  }</ul>
`,
)}`;
}

function contentsEntry({ operationId, summary, method, path }: PlacedOperation): Html {
  return html`<li><a href="#${operationId}" title="${method} ${path}"><span>${summary}</span> <span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span></a></li>`;
}

function chapterSection({ id, name, description, operations, events }: Chapter, document: OpenApiDocument): Html {
  return html`<section class="chapter" aria-labelledby="${id}">
<header>
<h2 id="${id}"><a href="#${id}">${name}</a></h2>
${markdown(description)}
</header>
${operations.map((operation) => operationSection(operation, document))}
${events}
</section>
`;
}

function errorTopic(): Html {
  return html`<section id="errors">
<h2><a href="#errors">Errors</a></h2>
${markdown(
  'Every error is `{"error": {"code", "message"}}`. The message alone says what to do. `VALIDATION_ERROR` adds ' +
    '`details`: every problem of the request at once, at most 100.',
)}
<ul class="errors-all">
${ERROR_CODES.map(errorEntry)}</ul>
</section>
`;
}

function errorEntry(code: ErrorCode): Html {
  const { when, repeat } = ERROR_MEANINGS[code];
  return html`<li><span class="status">${ERROR_STATUS[code]}</span> <code>${code}</code> <span class="when">${inline(
    `${when.charAt(0).toUpperCase()}${when.slice(1)}.${REPEATS[repeat]}`,
  )}</span></li>\n`;
}
