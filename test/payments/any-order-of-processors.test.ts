import type { Fact } from '../../src/core/facts.ts';
import type { Processor } from '../../src/core/processor.ts';
import { type Arrivals, afterRefundOf, describeStories, lead, MIA } from '../helpers/arrivals.ts';
import { applyFactsOf, disputed, hints, received, refunded } from '../helpers/facts.ts';

const by =
  (processor: Processor, fact: Fact): Arrivals[string] =>
  (app, { accountId }) =>
    applyFactsOf(processor, app.service, accountId, fact);

/** Two processors name payments by the same id. */
const ORDER = received(['1001'], hints(MIA));
const REFUND = refunded(['1001'], { refundId: 're_1', amountMinor: 3_000 });
const LOST = disputed(['1001'], 'du_1', 3_000, 'lost');
const polar = by('polar', ORDER);

describeStories({
  'a refund by another processor than the payment of the same id': {
    arrivals: { lead, polar, refund: by('paddle', REFUND) },
    ends: afterRefundOf(0),
  },
  'a dispute at another processor than the payment of the same id': {
    arrivals: { lead, polar, lost: by('paddle', LOST) },
    ends: afterRefundOf(0),
  },
  'a refund by another processor, which reports the payment, too': {
    arrivals: { lead, polar, paddle: by('paddle', ORDER), refund: by('paddle', REFUND) },
    ends: afterRefundOf(3_000),
  },
  'a dispute at another processor, which announces the payment, too': {
    arrivals: { lead, polar, paddle: by('paddle', { ...ORDER, kind: 'payment.announced' }), lost: by('paddle', LOST) },
    ends: afterRefundOf(3_000),
  },
});
