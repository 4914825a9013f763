import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { useIsShown } from '../data/use-is-shown.ts';
import { Loading } from './loading.tsx';
import { ProblemPage } from './problem.tsx';

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

const PROBLEMS = {
  unreachable: 'The server cannot be reached. This part of the dashboard appears as soon as it can.',
  broken: 'A part of the dashboard could not be loaded: the server may run a new version.',
};

/** How often to look whether the server can be reached. */
const LOOK_MS = 5_000;

/**
 * Shows a page as soon as its file is loaded. React's `lazy` shows a placeholder even when the file is there, and then
 * keeps the page back until 300 ms have passed.
 */
export function FilePage({ file }: { file: PageFile }) {
  const [ended, setEnded] = useState<{ problem: keyof typeof PROBLEMS | null } | null>(null);
  const isShown = useIsShown();
  const { Page } = file;
  const isMissing = Page === null;
  const load = useCallback(async () => {
    const problem = await file.load().then(() => null, findProblem);
    setEnded({ problem });
    return problem;
  }, [file]);
  const tryAgain = useCallback(async () => {
    // some browsers never request a file again that once failed to load; without a server, they would show a page of theirs
    if ((await load()) === 'broken' && isShown.current) location.reload();
  }, [load, isShown]);
  useEffect(() => {
    if (isMissing) void load();
  }, [isMissing, load]);
  const isUnreachable = ended?.problem === 'unreachable';
  useEffect(() => {
    if (!isUnreachable) return;
    const timer = setInterval(tryAgain, LOOK_MS);
    addEventListener('online', tryAgain);
    return () => {
      clearInterval(timer);
      removeEventListener('online', tryAgain);
    };
  }, [isUnreachable, tryAgain]);
  if (Page !== null) return <Page />;
  if (!ended?.problem) return <Loading />;
  return (
    <section aria-label="Problem">
      <ProblemPage isWhole error={new Error(PROBLEMS[ended.problem])} retry={tryAgain} />
    </section>
  );
}

async function findProblem(): Promise<keyof typeof PROBLEMS> {
  const isAnswered = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  return isAnswered ? 'broken' : 'unreachable';
}
