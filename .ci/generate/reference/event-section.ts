import { type Components, componentNameOf, type JsonSchema, resolved } from '../json-schema.ts';
import type { OpenApiDocument, Operation } from '../openapi.ts';
import { bodyFields } from './fields.ts';
import { type Html, html } from './html.ts';
import { markdown } from './markdown.ts';

export const EVENT_SECTION = { id: 'sent-events', title: 'What an endpoint receives' };

const INTRODUCTION =
  'Each event is a `POST` of `{"type", "timestamp", "data"}` to the URL of the endpoint, with the headers `webhook-id`, ' +
  '`webhook-timestamp` and `webhook-signature`. `data` is the resource as the API returns it, at the moment of the event. ' +
  'Answer 2xx within 15 seconds; after any other response, the event is sent again.';

interface SentEvent {
  type: string;
  summary: string;
  data: JsonSchema;
}

/** The events of a chapter by the resource in them, whose members several events share; null if it has none. */
export function eventSection(document: OpenApiDocument, chapter: string): Html | null {
  const components = document.components?.schemas as Components;
  const groups = Map.groupBy(eventsOf(document, chapter), ({ data }) => componentNameOf(data) ?? '');
  if (groups.size === 0) return null;
  const { id, title } = EVENT_SECTION;
  return html`<article class="sent" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${title}</a></h3>
${markdown(INTRODUCTION)}
${[...groups].map(([name, events]) => eventGroup(name, events, components))}
</article>
`;
}

function eventGroup(name: string, events: readonly SentEvent[], components: Components): Html {
  return html`<ul class="fields">${events.map(
    ({ type, summary }) => html`<li>
<p class="field"><code class="name">${type}</code></p>
<p>${summary}</p></li>`,
  )}</ul>
<details class="members">
<summary>Members of <code>data</code> (<code>${name}</code>)</summary>
${bodyFields(events[0]?.data ?? {}, 'answered', components)}
</details>`;
}

function eventsOf(document: OpenApiDocument, chapter: string): SentEvent[] {
  const components = document.components?.schemas as Components;
  return Object.entries(document.webhooks ?? {}).flatMap(([type, item]) => {
    const { tags, summary, requestBody } = (item as { post: Operation }).post;
    const body = requestBody?.content['application/json']?.schema ?? {};
    return tags.includes(chapter) ? [{ type, summary, data: resolved(body, components).properties?.data ?? {} }] : [];
  });
}
