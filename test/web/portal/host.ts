import { serveNode } from '../../helpers/serve-fetch.ts';

/** A company's product that shows the portal in a frame and records what the frame posts. */
export interface Host {
  /** `http://localhost:<port>`: for the browser a different site than the service's `127.0.0.1`. */
  origin: string;
  /** A page that shows the portal at this address in its frame; `sandbox` is what the frame may do, if not everything. */
  pageFor(frameUrl: string, sandbox?: string): string;
  close(): Promise<void>;
}

/** As the companies' clients do: sets the height that the frame requests. */
const LISTENER = `
  window.messages = [];
  addEventListener('message', ({ data, origin }) => {
    if (data.originator !== 'Refbridge') return;
    messages.push({ ...data, origin });
    if (data.event === 'PAGE_HEIGHT') document.querySelector('iframe').style.height = data.data.height + 'px';
  });`;

export async function createHost(): Promise<Host> {
  const { url, close } = await serveNode((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const quoted = (name: string) => (searchParams.get(name) ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const sandbox = searchParams.has('sandbox') ? ` sandbox="${quoted('sandbox')}"` : '';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>Aurora</title><script>${LISTENER}</script><h1>Your account</h1>` +
        `<iframe title="Referrals" src="${quoted('frame')}"${sandbox} style="width:100%;height:200px;border:0"></iframe>`,
    );
  });
  const origin = url.replace('127.0.0.1', 'localhost');
  const pageFor = (frame: string, sandbox?: string) =>
    `${origin}/?${new URLSearchParams(sandbox === undefined ? { frame } : { frame, sandbox })}`;
  return { origin, pageFor, close };
}
