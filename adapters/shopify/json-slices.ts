/**
 * Slices of a JSON text, in which every number keeps the digits that were written: ids exceed 2^53. A text must be JSON;
 * of anything else, the slices mean nothing.
 */

/** The first character of anything but white space and separators. */
const NEXT = /[^\s,:]/g;
const BRACKET_OR_QUOTE = /[[\]{}"]/g;
const END_OF_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const END_OF_WORD = /[^\s,\]}]+/y;

/** The text of each element of the list that begins there. */
export function elementsOf(json: string, start = 0): string[] {
  const elements: string[] = [];
  for (let at = startOfNext(json, start + 1); at < json.length && json[at] !== ']'; ) {
    const end = endOf(json, at);
    elements.push(json.slice(at, end));
    at = startOfNext(json, end);
  }
  return elements;
}

/** The text of a member of this object; undefined when it has none of this name. */
export function memberOf(object: string, name: string): string | undefined {
  const start = startOfMember(object, name);
  return start === undefined ? undefined : object.slice(start, endOf(object, start));
}

/** The object with another text for this member, if it has one. */
export function withMember(object: string, name: string, value: string): string {
  const start = startOfMember(object, name);
  return start === undefined ? object : object.slice(0, start) + value + object.slice(endOf(object, start));
}

/** Where the value of this member begins; undefined when the object has none of this name. */
export function startOfMember(object: string, name: string): number | undefined {
  for (let at = startOfNext(object, 1); at < object.length && object[at] !== '}'; ) {
    const end = endOf(object, at);
    const start = startOfNext(object, end);
    if (object.slice(at, end) === JSON.stringify(name)) return start;
    at = startOfNext(object, endOf(object, start));
  }
  return undefined;
}

function startOfNext(json: string, from: number): number {
  NEXT.lastIndex = from;
  return NEXT.exec(json)?.index ?? json.length;
}

/** Where the value that begins at `start` ends. */
function endOf(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return endBy(END_OF_STRING, json, start);
  if (first !== '{' && first !== '[') return endBy(END_OF_WORD, json, start);
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    BRACKET_OR_QUOTE.lastIndex = at;
    const found = BRACKET_OR_QUOTE.exec(json);
    if (found === null) break;
    at = found.index;
    if (found[0] === '"') at = endBy(END_OF_STRING, json, at) - 1;
    else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    if (depth === 0) return at + 1;
  }
  return json.length;
}

function endBy(pattern: RegExp, json: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(json) ? pattern.lastIndex : json.length;
}
