import { useState } from 'react';
import type { Answer, CallInput } from '../../../parts/api.ts';
import { CONNECTED_PROCESSORS, type ConnectedProcessor } from '../../data/processor-guides.ts';
import { useChange } from '../../data/use-api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';

interface ConnectDialogProps {
  onClose(): void;
  onDone(endpoint: Answer<'createWebhookEndpoint'>): void;
}

/** The first step: choosing the processor. It creates the address that the processor needs. */
export function ConnectDialog({ onClose, onDone }: ConnectDialogProps) {
  const [processor, setProcessor] = useState<ConnectedProcessor>('stripe');
  const [shopDomain, setShopDomain] = useState('');
  const create = useChange('createWebhookEndpoint', {
    quiet: true,
    onDone(endpoint) {
      onClose();
      onDone(endpoint);
    },
  });
  const body = (
    processor === 'shopify' ? { processor, shopDomain } : { processor }
  ) as CallInput<'createWebhookEndpoint'>['body'];
  return (
    <Dialog title="Connect a processor" onClose={onClose}>
      <Form
        action="Create its address"
        busy={create.isPending}
        error={create.error}
        onSend={() => create.mutate({ body })}
      >
        <fieldset className="grid grid-cols-2 gap-2">
          <legend className="mb-1.5 text-sm font-medium">Who takes your payments?</legend>
          {CONNECTED_PROCESSORS.map((name) => (
            <label
              key={name}
              className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-md border px-3 py-1.5 text-sm leading-tight hover:bg-muted has-checked:border-primary has-checked:bg-accent has-checked:text-accent-foreground has-focus-visible:outline-2 has-focus-visible:outline-ring"
            >
              <input
                type="radio"
                name="processor"
                className="accent-primary"
                checked={processor === name}
                onChange={() => setProcessor(name)}
              />
              {PROCESSOR_NAMES[name]}
            </label>
          ))}
        </fieldset>
        {processor === 'shopify' && (
          <Field
            label="Shop"
            required
            placeholder="example.myshopify.com"
            value={shopDomain}
            onText={setShopDomain}
            hint="Deliveries of other shops are refused."
            problem={problemOf(create.error, 'shopDomain')}
          />
        )}
      </Form>
    </Dialog>
  );
}
