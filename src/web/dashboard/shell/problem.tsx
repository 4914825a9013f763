import { Component, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';

/** Says what failed and how to go on. */
export function ProblemPage({ error, retry }: { error: Error; retry: () => unknown }) {
  return (
    <div role="alert" className="mx-auto mt-16 max-w-md px-4 text-center">
      <Icon name="warning" className="mx-auto size-6 text-destructive" />
      <h1 className="mt-3 text-lg font-semibold">This could not be shown</h1>
      <p className="mt-1 text-sm text-muted-foreground">{error.message}</p>
      <Button className="mt-4" onClick={() => retry()}>
        <Icon name="retry" /> Try again
      </Button>
    </div>
  );
}

interface Props {
  children: ReactNode;
  /** Another page forgets the failure of this one. */
  page: string;
}

/** Keeps a failure of one page from taking down the rest. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(previous: Props) {
    if (previous.page !== this.props.page && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    // a new version replaced the files that this page would load
    const isOutdated = error !== null && /dynamically imported module|module script/i.test(error.message);
    if (error === null) return this.props.children;
    return (
      <ProblemPage
        error={isOutdated ? new Error('A new version is running. Load the page again.') : error}
        retry={() => (isOutdated ? location.reload() : this.setState({ error: null }))}
      />
    );
  }
}
