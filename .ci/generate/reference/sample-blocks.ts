import { type OpenApiDocument, type PlacedOperation, resolvedAnswer } from '../openapi.ts';
import { highlight, type Language } from './highlight.ts';
import { type Html, html } from './html.ts';
import { curlSample, typescriptSample } from './samples.ts';

interface Sample {
  title: string;
  language: Language;
  source: string;
}

/** How to call an operation, and what it returns. One way to call it is open at a time. */
export function samplesOf(operation: PlacedOperation, document: OpenApiDocument): Html {
  const group = `${operation.operationId}-call`;
  const calls = callsOf(operation).map((sample, index) => sampleBlock(sample, { isOpen: index === 0, group }));
  const answers = answersOf(operation, document).map((sample) => sampleBlock(sample, { isOpen: true }));
  return html`${calls}${answers}`;
}

/** Readers do not call the webhook route themselves, so it shows the processors' payloads. */
function callsOf(operation: PlacedOperation): Sample[] {
  const examples = operation.requestBody?.content['application/json']?.examples;
  if (examples !== undefined) {
    return Object.values(examples).map(({ summary = '', value }) => jsonSample(summary, value));
  }
  return [
    { title: 'curl', language: 'shell', source: curlSample(operation) },
    { title: 'TypeScript', language: 'typescript', source: typescriptSample(operation) },
  ];
}

function answersOf({ responses }: PlacedOperation, document: OpenApiDocument): Sample[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const example = resolvedAnswer(response, document).content?.['application/json']?.example;
    return example === undefined ? [] : [jsonSample(`Response ${status}`, example)];
  });
}

function jsonSample(title: string, value: unknown): Sample {
  return { title, language: 'json', source: JSON.stringify(value, null, 2) };
}

function sampleBlock(
  { title, language, source }: Sample,
  { isOpen, group }: { isOpen: boolean; group?: string },
): Html {
  return html`<details class="sample"${group !== undefined && html` name="${group}"`}${isOpen && html` open`}>
<summary>${title}</summary>
<pre tabindex="0"><code>${highlight(source, language)}</code></pre>
</details>
`;
}
