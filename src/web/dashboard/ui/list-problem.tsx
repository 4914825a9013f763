import { useSearchParams } from 'wouter';
import { ApiError } from '../../parts/api.ts';
import { Button } from '../../parts/button.tsx';
import { PERIOD_PROBLEM } from '../data/period.ts';
import { ProblemPage } from '../shell/problem.tsx';

/**
 * Why there are no rows. The server refuses a filter that was written into the address by hand, and would refuse it
 * again: it is named, and can be cleared.
 */
export function ListProblem({ error, retry }: { error: Error; retry(): unknown }) {
  const [parameters, setParameters] = useSearchParams();
  const problems = [...problemsOf(error)].filter(([name]) => parameters.has(name));
  const refused = problems.map(([name]) => name);
  if (refused.length === 0) return <ProblemPage error={error} retry={retry} />;
  const isOne = refused.length === 1;
  const clear = () =>
    setParameters((before) => new URLSearchParams([...before].filter(([name]) => !refused.includes(name))));
  return (
    <ProblemPage
      title={isOne ? 'A filter in the address is not valid' : 'Filters in the address are not valid'}
      error={new Error(problems.map((problem) => problem.join(': ')).join('; '))}
    >
      <Button onClick={clear}>{isOne ? 'Clear this filter' : 'Clear these filters'}</Button>
    </ProblemPage>
  );
}

/** What is wrong with each parameter that was refused; a period of the address is sent as its days. */
function problemsOf(error: Error): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') return new Map();
  return new Map(
    [...error.details].map(([name, message]) =>
      name === 'from' || name === 'to' ? ['period', PERIOD_PROBLEM] : [name, message],
    ),
  );
}
