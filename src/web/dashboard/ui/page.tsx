import { type ReactNode, useEffect } from 'react';

interface PageProps {
  title: string;
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: its title, which is also the browser tab's, and its actions. */
export function Page({ title, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Refbridge`;
  }, [title]);
  return (
    <div className="flex flex-col gap-5 px-4 py-5 sm:px-6 lg:px-8 lg:py-7">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {actions && (
          // on a phone, choices take a line of their own
          <div className="flex flex-wrap items-center gap-2 max-sm:has-[>fieldset]:contents print:hidden">
            {actions}
          </div>
        )}
      </div>
      {children}
    </div>
  );
}
