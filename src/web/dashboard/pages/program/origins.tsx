import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { useChange } from '../../data/use-api.ts';
import { Code } from '../../ui/empty.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { linesOf } from './lines.ts';

type Program = Answer<'getProgram'>;

/** Where the portal may be embedded, and how. */
export function Origins({ program }: { program: Program }) {
  const [origins, setOrigins] = useState(program.portal.allowedOrigins.join('\n'));
  const [click, setClick] = useState(program.clickParameters.join('\n'));
  const [via, setVia] = useState(program.viaParameters.join('\n'));
  const [opened, setOpened] = useState(program);
  const save = useChange('updateProgram', { done: 'Saved', quiet: true, onDone: setOpened });
  const parameters = { clickParameters: linesOf(click), viaParameters: linesOf(via) };
  const body = { ...parameters, portal: { allowedOrigins: linesOf(origins) } };
  return (
    <div className="grid grid-cols-1 items-start gap-8 xl:grid-cols-[minmax(0,36rem)_minmax(0,28rem)]">
      <Form
        action="Save"
        busy={save.isPending}
        error={save.error}
        onSend={() => save.mutate({ parameters: { id: program.id }, body: changesOf(body, opened) })}
      >
        <TextArea
          label="Pages that may embed the portal"
          rows={4}
          mono
          value={origins}
          onText={setOrigins}
          hint="One origin per line, such as https://app.example.com. Everywhere else the frame stays blank."
        />
        <TextArea
          label="Parameters with the click id"
          rows={2}
          mono
          value={click}
          onText={setClick}
          hint="One per line. svc_id stays; add dub_id or refp_id if your pages read those."
        />
        <TextArea
          label="Parameters that name a link on your pages"
          rows={2}
          mono
          value={via}
          onText={setVia}
          hint='One per line. Used by script tags with data-via="auto".'
        />
      </Form>
      <section className="flex min-w-0 flex-col gap-2.5 text-sm">
        <h2 className="font-semibold">How it is embedded</h2>
        <p className="text-muted-foreground">
          Your server asks for a token of the partner who is signed in to your product:
        </p>
        <Code
          text={`curl ${location.origin}/api/embed/token \\\n  -H "Authorization: Bearer $REFBRIDGE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{\n    "partner": { "email": "ana@example.com", "name": "Ana" }\n  }'`}
        />
        <p className="text-muted-foreground">Your page shows it in a frame:</p>
        <Code text={`<iframe src="${location.origin}/embed/referrals?token=…&dynamicHeight=true"></iframe>`} />
      </section>
    </div>
  );
}
