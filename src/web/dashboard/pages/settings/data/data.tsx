import { useFilters } from '../../../data/filters.ts';
import { useOperator } from '../../../shell/session.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Erasure } from './erasure.tsx';
import { Export } from './export.tsx';
import { Import } from './import.tsx';

/** Export, import, and the erasure of a person. */
export function Data() {
  const { values, set } = useFilters(['import']);
  if (useOperator().role !== 'owner') {
    return (
      <Empty title="Only owners can import and export">
        <p>
          Imports, exports and erasures are about everybody in this account. Ask an owner to do it, or to make you an
          owner.
        </p>
      </Empty>
    );
  }
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Import openId={values.import ?? null} onOpen={(id) => set('import', id ?? '')} />
      <div className="flex min-w-0 flex-col gap-5">
        <Export />
        <Erasure />
      </div>
    </div>
  );
}
