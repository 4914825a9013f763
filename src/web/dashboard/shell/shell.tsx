import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { FilePage } from './page-file.tsx';
import { Palette } from './palette.tsx';
import { ErrorBoundary } from './problem.tsx';
import { isAt, SECTIONS } from './sections.ts';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';

/** The navigation beside the page; above it on a small screen. */
export function Shell() {
  const [path] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openPalette = () => setPaletteOpen(true);
  const openHelp = () => setHelpOpen(true);
  useShortcuts({ openPalette, openHelp });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu
  useEffect(() => {
    setMenuOpen(false);
  }, [path]);
  useTitle(path);
  useFocusOnPage(path, isMenuOpen);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)] print:block">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-popover focus:px-3 focus:py-2"
      >
        Skip to the content
      </a>
      <header className="top-0 z-20 flex items-center gap-1 border-b bg-background py-2 pr-2 pl-4 sm:pr-4 sm:pl-6 tall:sticky lg:hidden print:hidden">
        <Link href="/" className="mr-auto flex">
          <Logo />
        </Link>
        <Button look="quiet" size="icon" aria-label="Search" onClick={openPalette}>
          <Icon name="search" />
        </Button>
        <Button
          look="quiet"
          size="icon"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? 'close' : 'menu'} />
        </Button>
      </header>
      <aside
        className={`${isMenuOpen ? 'flex' : 'hidden'} flex-col border-b bg-muted px-3 py-4 lg:sticky lg:top-0 lg:flex lg:h-dvh lg:overflow-y-auto lg:border-r lg:border-b-0 print:hidden`}
      >
        <Link href="/" className="mb-4 hidden px-2 lg:block">
          <Logo />
        </Link>
        <Navigation onSearch={openPalette} onHelp={openHelp} onGo={() => setMenuOpen(false)} />
      </aside>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-448 min-w-0 print:max-w-none">
        <ErrorBoundary page={path}>
          <Switch>
            {SECTIONS.map(({ path: section, file }) => (
              <Route key={section} path={section === '/' ? '/' : `${section}/:id?`}>
                <FilePage file={file} />
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </ErrorBoundary>
      </main>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

/** Names the page in the tab, until it does that itself: it may be on its way, or fail. */
function useTitle(path: string): void {
  const title = SECTIONS.find((section) => isAt(path, section.path))?.name ?? 'Not found';
  // before the effects of the page
  useLayoutEffect(() => {
    document.title = `${title} · Refbridge`;
  }, [title]);
}

/** Moves the focus to the page when what had it is gone: a link of the last page, or of the closed menu. */
function useFocusOnPage(path: string, isMenuOpen: boolean): void {
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever either changes
  useEffect(() => {
    const { activeElement: focused, body } = document;
    const isGone = focused === body || focused?.checkVisibility() === false;
    if (!isFirst.current && isGone) document.getElementById('content')?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path, isMenuOpen]);
}

function NotFound() {
  return (
    <div className="px-6 py-16 text-center">
      <h1 className="text-lg font-semibold">There is no page at this address</h1>
      <Link href="/" className="mt-2 inline-block text-sm text-primary underline">
        Go to the overview
      </Link>
    </div>
  );
}
