import { type ComponentType, useEffect, useState } from 'react';
import { Loading } from './loading.tsx';

/** A page in a file of its own. */
export interface PageFile {
  /** Null until the file is loaded. */
  Page: ComponentType | null;
  load(): Promise<void>;
}

export function pageFile(read: () => Promise<{ default: ComponentType }>): PageFile {
  const file: PageFile = {
    Page: null,
    async load() {
      file.Page = (await read()).default;
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
  useEffect(() => {
    if (file.Page !== null) return;
    file.load().then(
      () => setEnded({}),
      (error: Error) => setEnded({ error }),
    );
  }, [file]);
  if (ended?.error) throw ended.error;
  return file.Page === null ? <Loading /> : <file.Page />;
}
