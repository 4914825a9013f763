import type { Answer } from '../../../parts/api.ts';
import { useRead } from '../../data/use-api.ts';
import { formatCount } from '../../ui/counted.ts';
import { Id, Time } from '../../ui/values.tsx';

type Refusal = Answer<'listWebhookRefusals'>['data'][number];

const TITLES: Record<Refusal['cause'], string> = {
  no_secret: 'No secret was set',
  no_signature: 'It had no signature',
  stale: 'Its time was wrong',
  wrong_shop: 'It came from another shop',
  not_verified: 'Its signature did not match',
};

const POLL_MS = 3_000;

/** The reasons why deliveries were refused, the latest first. */
export function useRefusals(id: string, isWaiting: boolean): readonly Refusal[] {
  const { data } = useRead(
    'listWebhookRefusals',
    { parameters: { id } },
    { refetchInterval: isWaiting ? POLL_MS : false },
  );
  return data?.data ?? [];
}

/** One kind of refused delivery: what was wrong, what to do, and what arrived. */
export function RefusalNote({ refusal, isOpen = false }: { refusal: Refusal; isOpen?: boolean }) {
  const { cause, reason, advice, eventType, headerNames, count, lastRefusedAt } = refusal;
  return (
    <details open={isOpen} className="rounded-md bg-warning-surface px-3 py-2 text-sm">
      <summary className="cursor-pointer">
        <span className="font-medium text-warning">{TITLES[cause]}</span>{' '}
        <span className="text-xs text-muted-foreground">
          <Time iso={lastRefusedAt} />
          {count > 1 && `, ${formatCount(count)} times`}
        </span>
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        <p>{advice}</p>
        <p className="text-xs break-words text-muted-foreground">{reason}</p>
        <p className="text-xs break-words text-muted-foreground">
          {eventType !== null && (
            <>
              Event <Id>{eventType}</Id>.{' '}
            </>
          )}
          Headers: {headerNames.join(', ')}
        </p>
      </div>
    </details>
  );
}
