import { QueryClientProvider } from '@tanstack/react-query';
import { Route, Router, Switch } from 'wouter';
import { queryClient } from './data/client.ts';
import { aroundNav, LeaveQuestion } from './shell/leaving.tsx';
import { FilePage, pageFile } from './shell/page-file.tsx';
import { ErrorBoundary } from './shell/problem.tsx';
import { RAW_ADDRESS } from './shell/raw-address.ts';
import { RequireSession } from './shell/session.tsx';
import { Shell } from './shell/shell.tsx';
import { Toasts } from './shell/toasts.tsx';

const SIGN_IN = pageFile(() => import('./shell/sign-in.tsx'));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base="/dashboard" aroundNav={aroundNav} {...RAW_ADDRESS}>
        <Switch>
          <Route path="/sign-in">
            {/* its file is gone when the server was upgraded while the page was open */}
            <ErrorBoundary page="/">
              <FilePage file={SIGN_IN} />
            </ErrorBoundary>
          </Route>
          <Route>
            <RequireSession>
              <Shell />
            </RequireSession>
          </Route>
        </Switch>
      </Router>
      <LeaveQuestion />
      <Toasts />
    </QueryClientProvider>
  );
}
