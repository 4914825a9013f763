import { buttonClass } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { Menu } from '../../ui/menu.tsx';

const YEARS = 4;

/** What partners were paid in each of the last years, as files. */
export function YearTotals() {
  const now = new Date().getUTCFullYear();
  return (
    <Menu title="Totals of a year" label="Year totals">
      {() => (
        <div className="flex flex-col gap-3">
          <p className="text-muted-foreground">
            For the tax return: what each partner was paid in a year (UTC), by currency.
          </p>
          <ul className="grid grid-cols-2 gap-2">
            {Array.from({ length: YEARS }, (_, index) => now - index).map((year) => (
              <li key={year}>
                <a
                  href={`/api/payouts/totals?year=${year}&format=csv`}
                  download={`payout-totals-${year}.csv`}
                  className={`${buttonClass('secondary', 'small')} w-full`}
                >
                  <Icon name="deliveries" /> {year}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Menu>
  );
}
