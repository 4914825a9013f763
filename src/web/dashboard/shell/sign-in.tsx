import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { type CallInput, call } from '../../parts/api.ts';
import { Button } from '../../parts/button.tsx';
import { isUnauthorized, SESSION_KEY } from '../data/client.ts';
import { useSending } from '../data/use-api.ts';
import { Field } from '../ui/field.tsx';
import { Logo } from './logo.tsx';
import { useSession } from './session.tsx';
import { signInProblem } from './sign-in-problem.ts';

/**
 * The code of a sign-in address. It stays in the address while React renders, because React may discard a render and
 * start again.
 */
function codeInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('code');
}

/** The code in the address, also when somebody pastes another one over it, which does not reload the page. */
function useCode(): string | null {
  const [code, setCode] = useState(codeInAddress);
  useEffect(() => {
    const take = () => setCode((before) => codeInAddress() ?? before);
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return code;
}

/** Accepts only an address of the dashboard; the router adds its base. */
function returnAddress(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  return /^\/(?![/\\])/.test(wanted) ? wanted : '/';
}

export default function SignIn() {
  const code = useCode();
  // another code is another attempt, whatever the last one still does
  return <SignInPage key={code} code={code} />;
}

function SignInPage({ code }: { code: string | null }) {
  const session = useSession();
  const search = useSearch();
  const client = useQueryClient();
  useEffect(() => {
    document.title = 'Sign in · Refbridge';
    // whoever signs in next, also in another tab, may belong to another account
    client.removeQueries({ type: 'inactive' });
  }, [client]);
  const [, navigate] = useLocation();
  const signIn = useSending({
    async mutationFn(input: CallInput<'signIn'>) {
      const answer = await call('signIn', input);
      const isKept = await call('getSession', {}).then(
        () => true,
        (error: Error) => !isUnauthorized(error),
      );
      const target = returnAddress(search);
      if (isKept) {
        client.setQueryData(SESSION_KEY, answer);
        navigate(target, { replace: true });
      } else {
        // the browser has thrown the cookie away, and every page would lead back here without a word
        navigate(`/sign-in?${new URLSearchParams({ problem: 'not_kept', return: target })}`, { replace: true });
      }
    },
  });
  const { mutate } = signIn;
  const [isTyped, setTyped] = useState(false);
  const sendTyped = (body: CallInput<'signIn'>['body']) => {
    setTyped(true);
    mutate({ body });
  };
  useEffect(() => {
    if (code === null) return;
    // so that nobody shares it
    history.replaceState(null, '', location.pathname + location.search);
    mutate({ body: { code } });
  }, [code, mutate]);
  if (session.data && code === null) return <Redirect to={returnAddress(search)} replace />;
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col px-5 pt-[max(2.5rem,14dvh)] pb-10">
      <Logo className="mb-8 text-lg" />
      <h1 className="text-xl font-semibold">Sign in</h1>
      {/* what is typed after an address failed stays, whatever happens to it */}
      {code !== null && !isTyped && signIn.isPending ? (
        <p className="mt-2 text-sm text-muted-foreground">Signing you in…</p>
      ) : (
        <>
          {/* a reload would lose the code */}
          {code !== null && !isTyped && signIn.error && !isUnauthorized(signIn.error) && (
            <Button className="mt-5 self-start" onClick={() => mutate({ body: { code } })}>
              Try the address again
            </Button>
          )}
          <SingleSignOn search={search} />
          <PasswordForm
            onSend={sendTyped}
            busy={signIn.isPending}
            problem={signIn.error && refusalInWords(signIn.error, isTyped)}
          />
        </>
      )}
    </main>
  );
}

/** The service answers every attempt alike; here it is known which one was made. */
function refusalInWords(error: Error, isTyped: boolean): string {
  if (!isUnauthorized(error)) return error.message;
  return isTyped
    ? 'The e-mail address and the password do not match.'
    : 'This sign-in address is wrong, was used or has expired. Get a new one as described below.';
}

/** The link to the OpenID provider, if there is one, and what went wrong there. */
function SingleSignOn({ search }: { search: string }) {
  const { data } = useQuery({
    queryKey: ['getSignInMethods', {}],
    queryFn: ({ signal }) => call('getSignInMethods', {}, { signal }),
    staleTime: 300_000,
  });
  const problem = signInProblem(search);
  const target = returnAddress(search);
  return (
    <>
      {problem !== null && (
        <p role="alert" className="mt-5 rounded-md bg-danger-surface px-3 py-2 text-sm text-destructive">
          {problem}
        </p>
      )}
      {data?.singleSignOn && (
        <>
          <a
            href={`/dashboard/single-sign-on${target === '/' ? '' : `?return=${encodeURIComponent(target)}`}`}
            className="mt-5 flex h-9 items-center justify-center rounded-md border border-input bg-background px-3 text-sm font-medium hover:bg-secondary"
          >
            Sign in with single sign-on
          </a>
          <p className="mt-5 flex items-center gap-3 text-xs text-muted-foreground before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
            or with a password
          </p>
        </>
      )}
    </>
  );
}

interface PasswordFormProps {
  onSend(body: CallInput<'signIn'>['body']): void;
  busy: boolean;
  problem: string | null;
}

function PasswordForm({ onSend, busy, problem }: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend({ email, password });
  };
  return (
    <form onSubmit={send} className="mt-5 flex flex-col gap-4">
      {problem && (
        <p role="alert" className="rounded-md bg-danger-surface px-3 py-2 text-sm text-destructive">
          {problem}
        </p>
      )}
      <Field label="E-mail address" type="email" autoComplete="username" required value={email} onText={setEmail} />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
      <Button look="primary" type="submit" busy={busy}>
        Sign in
      </Button>
      <p className="border-t pt-4 text-sm text-muted-foreground">
        No password yet? On the server, run{' '}
        <code className="inline-block rounded bg-secondary px-1 text-foreground">refbridge login-link</code> and open
        the address that it prints, or ask an owner to invite you.
      </p>
    </form>
  );
}
