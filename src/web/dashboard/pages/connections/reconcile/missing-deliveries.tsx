import { Link } from 'wouter';
import { formatCount } from '../../../ui/counted.ts';
import { asSentence } from '../../../ui/sentence.ts';
import { State } from '../../../ui/state.tsx';
import { Id, Money, PartnerLink, Time } from '../../../ui/values.tsx';
import { OUTCOMES } from '../../../ui/words.ts';
import { WrappingType } from '../../deliveries/wrapping-type.tsx';
import { WithLinks } from '../../sales/story.tsx';
import { missingOf, type Reconciliation } from './result-words.ts';

type Missing = Reconciliation['missing'][number];

/** What was missing, the latest first: what it is, and what became of it or would. */
export function MissingDeliveries({ run: { missing, counts } }: { run: Reconciliation }) {
  if (missing.length === 0) return null;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <section aria-label="Missing" tabIndex={0} className="max-h-96 overflow-y-auto rounded-md border text-sm">
        <ul className="divide-y">
          {missing.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nothing else tells two of them apart
            <MissingDelivery key={index} missing={one} />
          ))}
        </ul>
      </section>
      {missingOf(counts) > missing.length && (
        <p className="text-xs text-muted-foreground">The latest {formatCount(missing.length)}.</p>
      )}
    </div>
  );
}

function MissingDelivery({ missing }: { missing: Missing }) {
  const { deliveryId, eventType, occurredAt, invoiceId, amount, currency, outcome, reason, saleId } = missing;
  const what = eventType === null ? 'Delivery' : <WrappingType>{eventType}</WrappingType>;
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="min-w-0 flex-1 basis-40">
          {deliveryId === null ? (
            what
          ) : (
            <Link href={`/deliveries/${deliveryId}`} className="text-primary hover:underline">
              {what}
            </Link>
          )}
        </span>
        {amount !== null && currency !== null && <Money amount={amount} currency={currency} />}
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted-foreground">
        <State of={OUTCOMES} state={outcome} />
        <Time iso={occurredAt} />
        {invoiceId !== null && (
          <span>
            Invoice <Id>{invoiceId}</Id>
          </span>
        )}
      </p>
      <Earned missing={missing} />
      {reason !== null && (
        <p className={`text-xs ${outcome === 'failed' ? 'text-destructive' : 'text-muted-foreground'}`}>
          <WithLinks text={asSentence(reason)} />
        </p>
      )}
      {saleId !== null && (
        <p>
          <Link href={`/sales/${saleId}`} className="text-xs text-primary hover:underline">
            Open its sale
          </Link>
        </p>
      )}
    </li>
  );
}

/** The partner, and the commission that they earn by it, or lose. */
function Earned({ missing }: { missing: Missing }) {
  const { partnerId, partnerName, commissionAmount, commissionCurrency } = missing;
  if (partnerId === null) return null;
  return (
    <p className="flex flex-wrap justify-between gap-x-3 text-xs">
      <PartnerLink id={partnerId} name={partnerName ?? undefined} />
      {commissionAmount !== null && commissionCurrency !== null && (
        <span className="text-muted-foreground">
          Commission <Money amount={commissionAmount} currency={commissionCurrency} />
        </span>
      )}
    </p>
  );
}
