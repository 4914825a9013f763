import { useEffect, useState } from 'react';
import { useRead } from '../../../data/use-api.ts';
import { Field } from '../../../ui/field.tsx';
import { ErasureDialog, type Person } from './erasure-dialog.tsx';
import { Section } from './section.tsx';

const TYPING_PAUSE_MS = 250;
const FOUND_MAX = 5;

/** Finds a customer or partner, to erase what identifies them. */
export function Erasure() {
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState('');
  const [chosen, setChosen] = useState<Person | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Section
      title="Erase a person"
      about="Removes name, e-mail address and everything else that identifies somebody, for good. Ids, amounts and commissions stay, so that the books stay correct."
    >
      <Field
        label="Customer or partner"
        value={text}
        onText={setText}
        placeholder="ana@example.com"
        autoComplete="off"
        spellCheck={false}
        hint="The start of an e-mail address, of a partner's name, or of your own id for a customer."
      />
      {wanted !== '' && <Found wanted={wanted} onChoose={setChosen} />}
      {chosen && (
        <ErasureDialog
          person={chosen}
          onClose={() => setChosen(null)}
          onErased={() => {
            setChosen(null);
            setText('');
          }}
        />
      )}
    </Section>
  );
}

function Found({ wanted, onChoose }: { wanted: string; onChoose(person: Person): void }) {
  const query = { search: wanted, limit: FOUND_MAX };
  const customers = useRead('listCustomers', { query });
  // who wants to be forgotten has often left before
  const partners = useRead('listPartners', { query: { ...query, archived: 'all' } });
  if (customers.data === undefined || partners.data === undefined) return null;
  const people: Person[] = [
    ...partners.data.data.map(({ id, name, email }) => ({ kind: 'partner' as const, id, name, email })),
    // a guest has no id of the caller's
    ...customers.data.data.map(({ id, externalId, name, email }) => ({
      kind: 'customer' as const,
      id: externalId ?? id,
      name,
      email,
    })),
  ];
  if (people.length === 0) {
    return (
      <p role="status" className="text-sm text-muted-foreground">
        Nobody matches “{wanted}”. Somebody who only paid, and is not a customer yet, is erased with{' '}
        <code className="font-mono text-xs">refbridge erase</code> and their id or e-mail address.
      </p>
    );
  }
  return (
    <ul className="divide-y rounded-md border text-sm" aria-label="Found">
      {people.map((person) => (
        <li key={`${person.kind} ${person.id}`}>
          <button
            type="button"
            onClick={() => onChoose(person)}
            className="flex w-full items-baseline gap-3 px-3 py-2 text-left hover:bg-secondary"
          >
            <span dir="auto" className="min-w-0 flex-1 truncate text-left">
              {person.email ?? person.name ?? person.id}
            </span>
            <span className="shrink-0 text-xs text-muted-foreground">{person.kind}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
