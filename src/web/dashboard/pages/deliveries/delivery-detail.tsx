import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button, buttonClass } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useChange, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { asSentence } from '../../ui/sentence.ts';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { CopyId, Id, Time } from '../../ui/values.tsx';
import { DELIVERY_STATES, OUTCOMES, PROCESSOR_NAMES } from '../../ui/words.ts';
import { WithLinks } from '../sales/story.tsx';
import { Explanation } from './explanation.tsx';
import { WrappingType } from './wrapping-type.tsx';

type Delivery = Answer<'getDelivery'>;

/** One delivery: what arrived, and what happened to it. */
export function DeliveryDetail({ id, back }: { id: string; back: string }) {
  const { data: delivery, error, refetch } = useRead('getDelivery', { parameters: { id } });
  return (
    <Detail
      label="Delivery"
      back={back}
      title={delivery?.eventType ? <WrappingType>{delivery.eventType}</WrappingType> : 'Delivery'}
      actions={delivery && <State of={OUTCOMES} state={delivery.outcome} />}
    >
      {error && <ProblemPage error={error} retry={refetch} />}
      {delivery && <DeliveryBody delivery={delivery} />}
    </Detail>
  );
}

function DeliveryBody({ delivery }: { delivery: Delivery }) {
  const { outcome, reason, saleId, status } = delivery;
  return (
    <>
      {reason && (
        <p
          className={`rounded-md p-3 text-sm ${outcome === 'failed' ? 'bg-danger-surface text-destructive' : 'bg-muted'}`}
        >
          <WithLinks text={asSentence(reason)} />
        </p>
      )}
      <div className="flex flex-wrap gap-2 empty:hidden">
        {saleId !== null && (
          <Link href={`/sales/${saleId}`} className={buttonClass('secondary', 'small')}>
            Open its sale
          </Link>
        )}
        {outcome === 'unattributed' && (
          <Link href="/unattributed" className={buttonClass('secondary', 'small')}>
            Unattributed payments
          </Link>
        )}
        {status !== 'processed' && <Retry id={delivery.id} />}
      </div>
      <Facts
        items={[
          ['Processor', PROCESSOR_NAMES[delivery.processor]],
          ['Received', <Time iso={delivery.receivedAt} />],
          ['Status', <State of={DELIVERY_STATES} state={status} />],
          ['Attempts', String(delivery.attempts)],
          ['Next attempt', delivery.nextAttemptAt && <Time iso={delivery.nextAttemptAt} />],
          ['Event', <CopyId>{delivery.eventId}</CopyId>],
          [
            'Endpoint',
            <Link href={`/connections/${delivery.endpointId}`} className="text-primary hover:underline">
              <Id>{delivery.endpointId}</Id>
            </Link>,
          ],
          [
            'Sale',
            saleId && (
              <Link href={`/sales/${saleId}`} className="text-primary hover:underline">
                <Id>{saleId}</Id>
              </Link>
            ),
          ],
          ['Delivery', <CopyId>{delivery.id}</CopyId>],
        ]}
      />
      <Explanation delivery={delivery} />
      <Part title="Body" actions={delivery.body !== null && <CopyButton text={delivery.body} />}>
        {delivery.body === null ? (
          <p className="text-sm text-muted-foreground">
            It was deleted, after DELIVERY_RETENTION_DAYS or with somebody&apos;s personal data. Its outcome stays.
          </p>
        ) : (
          <section
            className="max-h-96 overflow-auto rounded-md border bg-muted p-2 font-mono text-xs"
            aria-label="Body"
            tabIndex={0}
          >
            <JsonTree value={parsed(delivery.body)} />
          </section>
        )}
      </Part>
      <Part title="Headers">
        <Facts items={Object.entries(delivery.headers).map(([name, value]) => [name, <Id>{String(value)}</Id>])} />
      </Part>
    </>
  );
}

function Retry({ id }: { id: string }) {
  const retry = useChange('retryDelivery', {
    done: ({ outcome }) => (outcome === 'failed' ? 'It failed again.' : `Processed again: ${OUTCOMES[outcome][0]}`),
    isBad: ({ outcome }) => outcome === 'failed',
  });
  const mayChange = useMayChange();
  if (!mayChange) return null;
  return (
    <Button size="small" busy={retry.isPending} onClick={() => retry.mutate({ parameters: { id } })}>
      <Icon name="retry" /> Process it again
    </Button>
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
