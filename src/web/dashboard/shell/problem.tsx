import { Component, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { queryClient } from '../data/client.ts';

interface ProblemPageProps {
  error: Error;
  /** Left out where another attempt would end in the same way. */
  retry?: () => unknown;
  children?: ReactNode;
  /** By default, something could not be read. */
  title?: string | undefined;
  /** Nothing else is shown, so its heading is the page's heading. */
  isWhole?: boolean;
}

/** Says what failed and what to do next. */
export function ProblemPage({
  error,
  retry,
  children,
  title = 'This could not be shown',
  isWhole = false,
}: ProblemPageProps) {
  const Heading = isWhole ? 'h1' : 'h2';
  return (
    <div role="alert" className={`mx-auto max-w-md px-4 py-6 text-center ${isWhole ? 'mt-16' : ''}`}>
      <Icon name="warning" className="mx-auto size-6 text-destructive" />
      <Heading className="mt-3 text-lg font-semibold text-balance">{title}</Heading>
      <p className="mt-1 text-sm wrap-anywhere text-balance text-muted-foreground">{error.message}</p>
      <div className="mt-4 flex flex-wrap items-center justify-center gap-3">
        {retry && (
          <Button onClick={() => retry()}>
            <Icon name="retry" /> Try again
          </Button>
        )}
        {children}
      </div>
    </div>
  );
}

/** The browser's own words are in its console; they help nobody else. */
const BROKEN = 'Something on this page went wrong. Your data is safe, and the other pages still work.';

interface Props {
  children: ReactNode;
  /** A change of the page clears the error. */
  page: string;
}

/** Keeps an error on one page from breaking the rest: the navigation stays, and the page can be retried. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(previous: Props) {
    if (previous.page !== this.props.page && this.state.error !== null) this.setState({ error: null });
  }

  /** Reads everything again, because the cache may contain an answer that cannot be shown. */
  private readonly retry = () => {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getSession' });
    this.setState({ error: null });
  };

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <section aria-label="Problem">
        <ProblemPage isWhole error={new Error(BROKEN)} retry={this.retry}>
          <Button onClick={() => location.reload()}>Load the page again</Button>
          {this.props.page !== '/' && (
            <Link href="/" className="text-sm text-primary underline">
              Go to the overview
            </Link>
          )}
        </ProblemPage>
      </section>
    );
  }
}
