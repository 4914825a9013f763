import { FilterChip } from './filter-bar.tsx';
import { PartnerLink } from './values.tsx';

/** The filter for one partner; nothing when the list is not filtered by one. */
export function PartnerChip({ id, onRemove }: { id: string | undefined; onRemove(): void }) {
  return id === undefined ? null : <FilterChip label="Partner" value={<PartnerLink id={id} />} onRemove={onRemove} />;
}
