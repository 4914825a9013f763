import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { Code } from '../../ui/empty.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { linesOf } from './lines.ts';
import { useProgramForm } from './use-program-form.ts';

type Program = Answer<'getProgram'>;

const originsText = ({ portal, clickParameters, viaParameters }: Program) => ({
  origins: portal.allowedOrigins.join('\n'),
  click: clickParameters.join('\n'),
  via: viaParameters.join('\n'),
});

/** Where the portal may be embedded, and how. */
export function Origins({ program }: { program: Program }) {
  const { text, set, opened, send, busy, error } = useProgramForm(program, originsText);
  const { origins, click, via } = text;
  const parameters = { clickParameters: linesOf(click), viaParameters: linesOf(via) };
  const body = { ...parameters, portal: { allowedOrigins: linesOf(origins) } };
  return (
    <div className="grid grid-cols-1 items-start gap-8 xl:grid-cols-[minmax(0,36rem)_minmax(0,28rem)]">
      <Form action="Save" busy={busy} error={error} onSend={() => send(changesOf(body, opened))}>
        <TextArea
          label="Pages that may embed the portal"
          rows={4}
          mono
          value={origins}
          onText={(lines) => set({ origins: lines })}
          hint="One origin per line, such as https://app.example.com. Everywhere else the frame stays blank."
          problem={problemOf(error, 'portal.allowedOrigins')}
        />
        <TextArea
          label="Parameters with the click id"
          rows={2}
          mono
          value={click}
          onText={(lines) => set({ click: lines })}
          hint="One per line. svc_id stays; add dub_id or refp_id if your pages read those."
          problem={problemOf(error, 'clickParameters')}
        />
        <TextArea
          label="Parameters that name a link on your pages"
          rows={2}
          mono
          value={via}
          onText={(lines) => set({ via: lines })}
          hint='One per line. Used by script tags with data-via="auto".'
          problem={problemOf(error, 'viaParameters')}
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
