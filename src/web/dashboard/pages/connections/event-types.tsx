import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Check } from '../../ui/field.tsx';

export type EventType = Answer<'getEventEndpoint'>['types'][number];

/** What each type reports, in the order in which the types are shown. */
const SENTENCES: Readonly<Record<EventType, string>> = {
  'lead.created': 'Somebody who came through a link signed up.',
  'sale.created': 'A payment was attributed to a partner.',
  'sale.refunded': 'A sale was refunded, in full or in part.',
  'sale.disputed': "The customer's bank disputes a payment.",
  'sale.approved': 'The hold of a sale is over: its commission may be paid.',
  'sale.updated': 'A sale changed in another way: a dispute ended, a refund failed, or a review was decided.',
  'commission.created': 'A partner earned commission; negative when it is reversed.',
  'payout.queued': 'A partner has something to be paid for the first time, or again.',
  'payout.processing': 'A payout was started and is to be paid.',
  'payout.held': 'Nobody could find out whether a payout was paid: a person decides.',
  'payout.paid': 'A payout was paid, by Stripe or as somebody said.',
  'payout.failed': 'A payout was refused, or its money came back.',
  'payout.canceled': 'A payout was canceled, and its entries go into the next one.',
  'partner.created': 'A partner was enrolled.',
  'payment.unattributed': 'A payment arrived that no partner earned.',
  'delivery.failed': 'A webhook from a processor could not be processed.',
  'click.created': 'Somebody followed a link. A busy link produces very many of these.',
};

const TYPES = Object.keys(SENTENCES) as EventType[];

/** Everything but clicks, which is also the service's default. */
export const DEFAULT_TYPES: readonly EventType[] = TYPES.filter((type) => type !== 'click.created');

interface EventTypesProps {
  chosen: readonly EventType[];
  onChoose(types: EventType[]): void;
}

/** Which events an endpoint receives. */
export function EventTypes({ chosen, onChoose }: EventTypesProps) {
  const set = (type: EventType, isOn: boolean) =>
    onChoose(TYPES.filter((each) => (each === type ? isOn : chosen.includes(each))));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5">
      <legend className="mb-1.5 text-sm font-medium">Events</legend>
      <div className="grid gap-x-6 gap-y-2.5 sm:grid-cols-2">
        {TYPES.map((type) => (
          <Check
            key={type}
            label={type}
            hint={SENTENCES[type]}
            checked={chosen.includes(type)}
            onCheck={(isOn) => set(type, isOn)}
          />
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => onChoose([...DEFAULT_TYPES])}>
          All but clicks
        </Button>
        <Button size="small" look="quiet" onClick={() => onChoose([])}>
          None
        </Button>
      </div>
      {chosen.length === 0 && <p className="text-xs text-destructive">Choose at least one.</p>}
    </fieldset>
  );
}
