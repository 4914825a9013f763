import { RawReply } from './route.ts';

/** An answer that browsers save as a file of this name. Without content for `HEAD`. */
export function fileReply(contentType: string, fileName: string, content?: RawReply['content']): RawReply {
  const headers = { 'Content-Type': contentType, 'Content-Disposition': `attachment; filename="${fileName}"` };
  return new RawReply(200, headers, content);
}
