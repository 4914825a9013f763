import { useSearchParams } from 'wouter';
import { ApiError } from '../../parts/api.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemPage } from '../shell/problem.tsx';

/**
 * Why there are no rows. The server refuses a filter that was written into the address by hand, and would refuse it
 * again: it is named, and can be cleared.
 */
export function ListProblem({ error, retry }: { error: Error; retry(): unknown }) {
  const [parameters, setParameters] = useSearchParams();
  const refused = refusedBy(error).filter((name) => parameters.has(name));
  if (refused.length === 0) return <ProblemPage error={error} retry={retry} />;
  const isOne = refused.length === 1;
  const clear = () =>
    setParameters((before) => new URLSearchParams([...before].filter(([name]) => !refused.includes(name))));
  return (
    <ProblemPage
      title={isOne ? 'A filter in the address is not valid' : 'Filters in the address are not valid'}
      error={error}
    >
      <Button onClick={clear}>{isOne ? 'Clear this filter' : 'Clear these filters'}</Button>
    </ProblemPage>
  );
}

/** The parameters that were refused; a period of the address is sent as its days. */
function refusedBy(error: Error): string[] {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') return [];
  return [...new Set([...error.details.keys()].map((name) => (name === 'from' || name === 'to' ? 'period' : name)))];
}
