import { escapeHtml, Html } from './html.ts';

export type Language = 'json' | 'shell' | 'typescript';

/** The pattern of each kind of token; the first match wins. */
const WORDS: Record<Language, RegExp> = {
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<value>\b(?:true|false|null)\b|-?\b\d[\d.]*)/g,
  shell:
    /(?<body>(?<=')\{[^']*\}(?='))|(?<string>'(?!\{)[^']*'|"[^"]*")|(?<word>\bcurl\b)|(?<name>(?<=\s)-{1,2}[\w-]+)/g,
  typescript:
    /(?<comment>\/\/.*)|(?<string>'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<word>\b(?:import|from|type|const|await|new|if|throw)\b)|(?<value>\b(?:true|false|null|undefined)\b|\b\d[\d.]*\b)/g,
};

/** Source with a `span` around each highlighted token. */
export function highlight(source: string, language: Language): Html {
  let end = 0;
  let text = '';
  for (const match of source.matchAll(WORDS[language])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, word]) => word !== undefined) ?? ['word'];
    const word =
      kind === 'body' ? highlight(match[0], 'json').text : `<span class="${kind}">${escapeHtml(match[0])}</span>`;
    text += escapeHtml(source.slice(end, match.index)) + word;
    end = match.index + match[0].length;
  }
  return new Html(text + escapeHtml(source.slice(end)));
}
