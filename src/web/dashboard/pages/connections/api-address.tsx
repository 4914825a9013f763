import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';

/** Sets another address of the processor's API. A stored access token is asked for again, because it would be sent there. */
export function ApiAddress({ endpoint }: { endpoint: Answer<'getWebhookEndpoint'> }) {
  const { id, processor, apiUrl, hasAccessToken } = endpoint;
  const [text, setText] = useState(apiUrl ?? '');
  const [accessToken, setAccessToken] = useState('');
  const change = useChange('updateWebhookEndpoint', {
    done: 'Saved',
    onDone: () => setAccessToken(''),
    quiet: true,
  });
  const isTokenDue = hasAccessToken && text !== (apiUrl ?? '');
  const body = { apiUrl: text || null, ...(isTokenDue ? { accessToken } : {}) };
  return (
    <details open={apiUrl !== null} className="text-sm">
      <summary className="cursor-pointer text-muted-foreground">
        Another address of the API, such as that of a sandbox
      </summary>
      <div className="mt-3">
        <Form
          action="Save"
          busy={change.isPending}
          error={change.error}
          onSend={() => change.mutate({ parameters: { id }, body })}
        >
          <Field
            label="Address of the API"
            type="url"
            value={text}
            onText={setText}
            hint={`Used to reconcile. Empty: the usual address of ${PROCESSOR_NAMES[processor]}.`}
            problem={problemOf(change.error, 'apiUrl')}
          />
          {isTokenDue && (
            <Field
              label="Access token for this address"
              type="password"
              required
              autoComplete="off"
              value={accessToken}
              onText={setAccessToken}
              hint="The one that is set is not sent to another address."
              problem={problemOf(change.error, 'accessToken')}
            />
          )}
        </Form>
      </div>
    </details>
  );
}
