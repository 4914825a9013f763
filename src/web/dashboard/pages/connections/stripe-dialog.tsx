import { useState } from 'react';
import { ApiError } from '../../../parts/api.ts';
import type { StripeConnection } from '../../data/stripe.ts';
import { useChange } from '../../data/use-api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';

interface StripeDialogProps {
  /** What the new key replaces. */
  connection: StripeConnection | null;
  onClose(): void;
}

/** Connects Stripe, or replaces its key, which is never shown again. */
export function StripeDialog({ connection, onClose }: StripeDialogProps) {
  const [secretKey, setSecretKey] = useState('');
  const connect = useChange('connectRail', {
    done: connection === null ? 'Stripe is connected' : 'The key is replaced',
    onDone: onClose,
    quiet: true,
  });
  const { error } = connect;
  const send = () => {
    // the service keeps none of an earlier connection
    const body = { secretKey, ...(connection?.apiUrl ? { apiUrl: connection.apiUrl } : {}) };
    connect.mutate({ parameters: { rail: 'stripe' }, body });
  };
  return (
    <Dialog
      title={connection === null ? 'Connect Stripe to send payouts' : 'Replace the key of Stripe'}
      onClose={onClose}
      className="max-w-lg"
    >
      <Form
        action={connection === null ? 'Connect' : 'Replace the key'}
        busy={connect.isPending}
        error={error}
        onSend={send}
      >
        <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-sm text-muted-foreground">
          <li>
            At Stripe, open <Strong>Developers → API keys</Strong> and choose <Strong>Create restricted key</Strong>.
          </li>
          <li>
            Under Permissions, choose <Strong>Write</Strong> in the line <Strong>Connect</Strong>: for accounts, account
            links and transfers.
          </li>
          <li>Copy the key and paste it here. A secret key, sk_live_…, works too, but may do everything.</li>
        </ol>
        <Field
          label="Secret or restricted key"
          type="password"
          required
          autoComplete="off"
          placeholder="rk_live_…"
          value={secretKey}
          onText={setSecretKey}
          hint="Encrypted here, and never shown again. With rk_test_… you try it without real money."
          problem={problemOf(error, 'secretKey') ?? stateProblemOf(error)}
        />
        {connection !== null && (
          <p className="text-xs text-muted-foreground">
            A key of the same account and mode takes over at once. With one of another account, partners must sign up
            again, and no payout may be on its way.
          </p>
        )}
      </Form>
    </Dialog>
  );
}

function Strong({ children }: { children: string }) {
  return <span className="font-medium text-foreground">{children}</span>;
}

/** That another account cannot be connected now is about the key, too. */
function stateProblemOf(error: Error | null): string | undefined {
  return error instanceof ApiError && error.code === 'INVALID_STATE' ? error.message : undefined;
}
