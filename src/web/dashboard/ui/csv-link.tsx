import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';

type ListName = 'deliveries' | 'ledger' | 'partners' | 'payouts' | 'sales';

/** Downloads the whole list as a file, with the current filters. */
export function CsvLink({ list, filters }: { list: ListName; filters: Partial<Record<string, string>> }) {
  const query = new URLSearchParams({ ...(filters as Record<string, string>), format: 'csv' });
  return (
    <a href={`/api/${list}?${query}`} download={`${list}.csv`} className={buttonClass()}>
      <Icon name="deliveries" /> CSV
    </a>
  );
}
