import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { PROCESSOR_GUIDES } from '../../data/processor-guides.ts';
import { useChange } from '../../data/use-api.ts';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { canVerify } from './endpoint-state.tsx';

const RANDOM_BYTES = 20;

function randomText(): string {
  return [...crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** Sets the secret that verifies who sends the deliveries. It is never shown again. */
export function SecretForm({ endpoint }: { endpoint: Answer<'getWebhookEndpoint'> }) {
  const { id, processor, secretCount } = endpoint;
  const guide = PROCESSOR_GUIDES[processor];
  const isRevenueCat = processor === 'revenuecat';
  const [isOpen, setOpen] = useState(!canVerify(endpoint));
  const [secret, setSecret] = useState('');
  const [authorization, setAuthorization] = useState('');
  const change = useChange('updateWebhookEndpoint', {
    done: 'The secret is set',
    onDone() {
      setSecret('');
      setAuthorization('');
      setOpen(false);
    },
    quiet: true,
  });
  if (!isOpen) {
    return (
      <Button size="small" className="self-start" onClick={() => setOpen(true)}>
        Change the secret
      </Button>
    );
  }
  const secrets = secret.split(/\s+/).filter((text) => text !== '');
  const body = {
    ...(secrets.length > 0 ? { secrets } : {}),
    ...(authorization === '' ? {} : { authorization }),
  };
  return (
    <Form
      action="Set it"
      busy={change.isPending}
      error={change.error}
      disabled={secrets.length === 0 && authorization === ''}
      onSend={() => change.mutate({ parameters: { id }, body })}
    >
      {isRevenueCat && (
        <Field
          label="Authorization header value"
          autoComplete="off"
          value={authorization}
          onText={setAuthorization}
          hint="Enter the same text at RevenueCat."
          problem={problemOf(change.error, 'authorization')}
        />
      )}
      <Field
        label="Secret"
        autoComplete="off"
        spellCheck={false}
        value={secret}
        onText={setSecret}
        hint={
          secretCount > 0
            ? `${guide.secret}. It replaces the current one; to rotate, enter both, separated by a space.`
            : guide.secret
        }
        problem={problemOf(change.error, 'secrets')}
      />
      {(guide.isSecretOurs || isRevenueCat) && (
        <div className="flex gap-2">
          <Button
            size="small"
            onClick={({ currentTarget }) => {
              if (isRevenueCat) setAuthorization(`Bearer ${randomText()}`);
              else setSecret(randomText());
              // so that the form guards it like what is typed: it may already be in use at the processor
              currentTarget.form?.dispatchEvent(new Event('input', { bubbles: true }));
            }}
          >
            Generate one
          </Button>
          {(secret || authorization) && <CopyButton text={isRevenueCat ? authorization : secret} label="Copy it" />}
        </div>
      )}
    </Form>
  );
}
