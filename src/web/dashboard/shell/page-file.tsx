import { type ComponentType, useEffect, useState } from 'react';
import { Loading } from './loading.tsx';

/** A page in a file of its own. */
export interface PageFile {
  /** Null until the file is loaded. */
  Page: ComponentType | null;
  load(): Promise<void>;
}

/** The file of a page could not be loaded: without a connection, or because a new version has replaced it. */
export class PageNotLoaded extends Error {}

export function pageFile(read: () => Promise<{ default: ComponentType }>): PageFile {
  const file: PageFile = {
    Page: null,
    async load() {
      try {
        file.Page = (await read()).default;
      } catch (error) {
        throw new PageNotLoaded(
          'A part of the dashboard could not be loaded: the server cannot be reached, or runs a new version.',
          { cause: error },
        );
      }
    },
  };
  return file;
}

/** Loads the file of a page that may be shown next. A failure is told where the page is shown. */
export function preload(file: PageFile): void {
  file.load().catch(() => {});
}

/**
 * Shows a page as soon as its file is loaded. React's `lazy` shows a placeholder even when the file is there, and then
 * keeps the page back until 300 ms have passed.
 */
export function FilePage({ file }: { file: PageFile }) {
  const [ended, setEnded] = useState<{ error?: Error } | null>(null);
  const { Page } = file;
  const isMissing = Page === null;
  useEffect(() => {
    if (!isMissing) return;
    file.load().then(
      () => setEnded({}),
      (error: Error) => setEnded({ error }),
    );
  }, [file, isMissing]);
  if (ended?.error) throw ended.error;
  return Page === null ? <Loading /> : <Page />;
}
