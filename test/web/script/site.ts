import type { IncomingMessage } from 'node:http';
import { serveNode } from '../../helpers/serve-fetch.ts';

export interface SiteOptions {
  /** Attributes of the script's tag: `data-model="first-click"`. */
  attributes?: string;
  /** Replaces the script's tag. */
  tag?: string;
  /** Headers of every page. */
  headers?: Record<string, string>;
  /** HTML before the script's tag. */
  before?: string;
  /** HTML after the script's tag. */
  after?: string;
}

/** A company's site, every page of which loads the script of the service at `serviceUrl`. */
export interface Site {
  /** `http://localhost:<port>`: for the browser a different site than the service's `127.0.0.1`. */
  url: string;
  port: number;
  requests: IncomingMessage[];
  close(): Promise<void>;
}

export async function createSite(serviceUrl: string, options: SiteOptions = {}): Promise<Site> {
  const html = pageOf(serviceUrl, options);
  const requests: IncomingMessage[] = [];
  const { url, close } = await serveNode((request, response) => {
    requests.push(request);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...options.headers }).end(html);
  });
  return { url: url.replace('127.0.0.1', 'localhost'), port: Number(new URL(url).port), requests, close };
}

/** The page as served, for tests that answer a request themselves. */
export function pageOf(serviceUrl: string, options: SiteOptions): string {
  const { attributes = '', before = '', after = '' } = options;
  const tag = options.tag ?? `<script src="${serviceUrl}/script.js" ${attributes}></script>`;
  return `<!doctype html><meta charset="utf-8"><title>Aurora Lamps</title>${before}${tag}${after}<h1>Lamps</h1>`;
}
