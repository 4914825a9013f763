import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { formatAmount } from '../../../parts/money.ts';
import { type StripeConnection, useStripe } from '../../data/stripe.ts';
import { useChange, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { Bone } from '../../ui/bone.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Facts } from '../../ui/split.tsx';
import { ModeBadge, NotConnected } from '../../ui/stripe.tsx';
import { Id, Money } from '../../ui/values.tsx';
import { EndForm } from './end-form.tsx';

type Payout = Answer<'getPayout'>;

/** What can be done with a payout that is to be paid: by Stripe, if its partner is paid by it. */
export function ToBePaid({ payout }: { payout: Payout }) {
  // what is in a file is paid by it
  const enabled = payout.fileId === null;
  const partner = useRead('getPartner', { parameters: { id: payout.partnerId } }, { enabled });
  const stripe = useStripe({ enabled });
  const account = partner.data && stripeAccountOf(partner.data);
  const error = partner.error ?? stripe.error;
  if (!enabled || account === null) return <EndForm payout={payout} />;
  if (error) {
    return (
      <>
        <ProblemPage error={error} retry={() => Promise.all([partner.refetch(), stripe.refetch()])} />
        <EndForm payout={payout} />
      </>
    );
  }
  if (account === undefined || stripe.connection === undefined) return <Bone className="h-36 w-full" />;
  return (
    <EndForm payout={payout} isSecondary>
      {stripe.connection === null ? (
        <div className="border-b pb-3 text-sm">
          <p>
            <bdi>{payout.partnerName}</bdi> is paid by Stripe.
          </p>
          <NotConnected />
        </div>
      ) : (
        <SendButton
          payout={payout}
          account={account}
          connection={stripe.connection}
          onAsk={() => Promise.all([partner.refetch(), stripe.refetch()])}
        />
      )}
    </EndForm>
  );
}

/** The partner's account at Stripe, masked; null for partners who are not paid by it. */
function stripeAccountOf({ payoutDetails }: Answer<'getPartner'>): string | null {
  return payoutDetails?.rail === 'stripe' ? payoutDetails.account : null;
}

interface SendProps {
  payout: Payout;
  account: string;
  connection: StripeConnection;
}

function SendButton({ onAsk, ...props }: SendProps & { onAsk(): void }) {
  const [isAsked, setAsked] = useState(false);
  const ask = () => {
    // the partner may have chosen another account since
    onAsk();
    setAsked(true);
  };
  return (
    <>
      <Button look="primary" className="self-start" onClick={ask}>
        Send by Stripe
      </Button>
      <p className="border-t pt-3 text-sm text-muted-foreground">Or, if it was paid in another way:</p>
      {isAsked && <SendDialog {...props} onClose={() => setAsked(false)} />}
    </>
  );
}

/** What is sent, to whom and from where; then it is sent. */
function SendDialog({ payout, account, connection, onClose }: SendProps & { onClose(): void }) {
  const { id, amount, currency, partnerName } = payout;
  const { platformId, platformName, mode } = connection;
  const send = useChange('sendPayout', { done: 'It is being sent', onDone: onClose, quiet: true });
  return (
    <Dialog title={`Send ${formatAmount(amount, currency)} to ${partnerName}?`} onClose={onClose}>
      <Form
        action="Send it"
        busy={send.isPending}
        error={send.error}
        onSend={() => send.mutate({ parameters: { id } })}
      >
        <Facts
          items={[
            ['Amount', <Money amount={amount} currency={currency} className="font-semibold" />],
            ['To', <Id>{account}</Id>],
            [
              'From',
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                {platformName === null ? <Id>{platformId}</Id> : <bdi>{platformName}</bdi>}
                <ModeBadge mode={mode} />
              </span>,
            ],
          ]}
        />
        <p className="text-sm text-muted-foreground">
          {mode === 'test'
            ? 'No real money moves, but here the payout counts as paid: its entries are not paid again.'
            : 'Paid from your balance at Stripe. It cannot be stopped once it is on its way.'}
        </p>
      </Form>
    </Dialog>
  );
}
