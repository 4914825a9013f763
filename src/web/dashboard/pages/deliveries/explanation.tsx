import type { Answer, CallInput } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useChange } from '../../data/use-api.ts';
import { JsonTree } from '../../ui/json-tree.tsx';
import { asSentence } from '../../ui/sentence.ts';
import { Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { Money, PartnerLink } from '../../ui/values.tsx';
import { OUTCOMES } from '../../ui/words.ts';
import { Steps, WithLinks } from '../sales/story.tsx';

type Delivery = Answer<'getDelivery'>;

/** What the body says, and what it would become if it arrived now; stores nothing. */
export function Explanation({ delivery }: { delivery: Delivery }) {
  const explain = useChange('explainDelivery');
  const { data } = explain;
  if (delivery.body === null) return null;
  return (
    <Part
      title="What it says"
      actions={
        <Button size="small" busy={explain.isPending} onClick={() => explain.mutate({ body: inputOf(delivery) })}>
          Explain
        </Button>
      }
    >
      <div role="status">
        {data === undefined ? (
          <p className="text-sm text-muted-foreground">
            Interprets the body as if it arrived now: its facts, the attribution step by step, and the commission.
            Nothing is stored.
          </p>
        ) : (
          <Facts
            items={[
              ['It would become', <State of={OUTCOMES} state={data.outcome} />],
              ['Because', data.reason && <WithLinks text={asSentence(data.reason)} />],
              ['Partner', data.partnerId && <PartnerLink id={data.partnerId} name={data.partnerName ?? undefined} />],
              [
                'Commission',
                data.commissionAmount !== null && data.currency !== null && (
                  <Money amount={data.commissionAmount} currency={data.currency} />
                ),
              ],
            ]}
          />
        )}
      </div>
      {data && (
        <div className="flex flex-col gap-4">
          {data.attribution && <Steps steps={data.attribution.steps} currency={data.currency} />}
          <section
            aria-label="Facts"
            tabIndex={0}
            className="max-h-72 overflow-auto rounded-md border bg-muted p-2 font-mono text-xs"
          >
            <JsonTree name="facts" value={data.facts} />
          </section>
        </div>
      )}
    </Part>
  );
}

/** As new, because it would be a duplicate of itself. */
function inputOf({ processor, endpointId, body, headers }: Delivery): CallInput<'explainDelivery'>['body'] {
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { processor, endpointId, asNew: true, body: body ?? '', headers: Object.fromEntries(single) };
}
