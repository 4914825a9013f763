import { useState } from 'react';
import type { Answer } from '../../../../parts/api.ts';
import { Button } from '../../../../parts/button.tsx';
import type { BackfillGuide } from '../../../data/processor-guides.ts';
import { useChange } from '../../../data/use-api.ts';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form, problemOf } from '../../../ui/form.tsx';

interface AccessTokenProps {
  endpoint: Answer<'getWebhookEndpoint'>;
  guide: BackfillGuide;
}

/** Sets the credential of the processor's API. It is never shown again, only replaced or removed. */
export function AccessToken({ endpoint: { id, hasAccessToken }, guide }: AccessTokenProps) {
  const [isReplaced, setReplaced] = useState(false);
  const [accessToken, setAccessToken] = useState('');
  const change = useChange('updateWebhookEndpoint', {
    done: 'The access token is set',
    onDone() {
      setAccessToken('');
      setReplaced(false);
    },
    quiet: true,
  });
  const remove = useChange('updateWebhookEndpoint', { done: 'The access token is removed' });
  const parameters = { id };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {hasAccessToken && (
        <div className="flex flex-wrap items-center gap-2 border-t pt-3">
          <p className="w-full text-sm sm:w-auto sm:flex-1">The access token is set.</p>
          <Button size="small" aria-expanded={isReplaced} onClick={() => setReplaced(!isReplaced)}>
            Replace it
          </Button>
          <ConfirmButton
            words="Remove it"
            question="Remove the access token?"
            busy={remove.isPending}
            onConfirm={() => remove.mutate({ parameters, body: { accessToken: null } })}
          />
        </div>
      )}
      {(isReplaced || !hasAccessToken) && (
        <Form
          action="Save it"
          busy={change.isPending}
          error={change.error}
          onSend={() => change.mutate({ parameters, body: { accessToken } })}
        >
          <Field
            label="Access token"
            type="password"
            required
            autoComplete="off"
            value={accessToken}
            onText={setAccessToken}
            hint={`${guide.accessToken}. It needs ${guide.permission}. Encrypted here, and never shown again.`}
            problem={problemOf(change.error, 'accessToken')}
          />
        </Form>
      )}
    </div>
  );
}
