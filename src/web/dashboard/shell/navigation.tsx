import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { showSignIn } from '../data/client.ts';
import { useChange } from '../data/use-api.ts';
import { giveUpUnsent, lossOfSession } from '../ui/unsent.ts';
import { leaveBy } from './leaving.tsx';
import { preload } from './page-file.tsx';
import { isAt, SECTIONS } from './sections.ts';
import { useOperator } from './session.tsx';
import { PALETTE_KEYS } from './shortcut-help.tsx';
import { ThemeMenu } from './theme-menu.tsx';

interface NavigationProps {
  onSearch(): void;
  /** Lists the keyboard shortcuts. */
  onHelp(): void;
  /** Called when a link is followed, also to the page that is shown. */
  onGo(): void;
}

export function Navigation({ onSearch, onHelp, onGo }: NavigationProps) {
  const [path] = useLocation();
  const groups = Map.groupBy(SECTIONS, ({ group }) => group);
  return (
    <>
      <button
        type="button"
        onClick={onSearch}
        className="mb-4 hidden h-8 items-center gap-2 rounded-md border border-input bg-background px-2 text-sm text-muted-foreground hover:text-foreground lg:flex"
      >
        <Icon name="search" className="size-3.5" /> Go to…
        <kbd className="ml-auto font-sans text-xs">{PALETTE_KEYS}</kbd>
      </button>
      <nav aria-label="Pages" className="flex flex-col gap-4">
        {[...groups].map(([group, sections]) => (
          <ul key={group} className="flex flex-col gap-px">
            {sections.map((section) => (
              <li key={section.path}>
                <Link
                  href={section.path}
                  onClick={onGo}
                  // not when the pointer enters it: some browsers never request a file again that once failed to load
                  onPointerDown={() => preload(section.file)}
                  aria-current={isAt(path, section.path) ? 'page' : undefined}
                  className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm text-muted-foreground hover:bg-secondary hover:text-foreground aria-[current]:bg-accent aria-[current]:font-medium aria-[current]:text-accent-foreground"
                >
                  <Icon name={section.icon} /> {section.name}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <Account onHelp={onHelp} />
    </>
  );
}

function Account({ onHelp }: Pick<NavigationProps, 'onHelp'>) {
  const operator = useOperator();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const signOut = useChange('signOut', {
    onDone() {
      client.clear();
      showSignIn();
      // the question was asked before
      giveUpUnsent();
      // to another page, browsers would keep this one as it is now, and show it to whoever goes back
      navigate('/sign-in');
      // messages, and answers that are still on their way, are not for whoever signs in next
      location.reload();
    },
  });
  return (
    <div className="mt-6 flex flex-col gap-3 border-t pt-4 lg:mt-auto">
      <div className="flex items-center gap-2 px-2">
        <div className="min-w-0 flex-1 text-sm">
          <p dir="auto" className="truncate text-left font-medium">
            {operator.name}
          </p>
          <p className="text-xs text-muted-foreground capitalize">{operator.role}</p>
        </div>
        <Button
          look="quiet"
          size="icon"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => leaveBy(() => signOut.mutate({}), lossOfSession())}
        >
          <Icon name="exit" />
        </Button>
      </div>
      <div className="flex items-center justify-between px-2">
        <ThemeMenu />
        <Button look="quiet" size="icon" aria-label="Shortcuts" title="Shortcuts" onClick={onHelp}>
          <Icon name="keyboard" />
        </Button>
        <a href="/docs/api" className="text-xs text-muted-foreground hover:text-foreground hover:underline">
          API
        </a>
      </div>
    </div>
  );
}
