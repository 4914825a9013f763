import { useEffect, useState } from 'react';
import { useRead } from '../data/use-api.ts';
import { type Choice, Combobox } from './combobox.tsx';

const CHOICES_MAX = 20;
const TYPING_PAUSE_MS = 200;

interface PartnerChooserProps {
  /** The id of the chosen partner; '' for none. */
  value: string;
  onChoose(id: string): void;
  problem?: string | undefined;
  hint?: string;
  /** Also offers archived partners, who may still be owed something. */
  withArchived?: boolean;
}

/** Chooses any partner of the account, by the start of the name or e-mail address. */
export function PartnerChooser({ value, onChoose, problem, hint, withArchived = false }: PartnerChooserProps) {
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text), text === '' ? 0 : TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const query = {
    limit: CHOICES_MAX,
    ...(wanted !== '' && { search: wanted }),
    ...(withArchived && { archived: 'all' as const }),
  };
  const { data, isPlaceholderData } = useRead('listPartners', { query });
  const [picked, setPicked] = useState<Choice | null>(null);
  const isPicked = picked?.id === value;
  const { data: partner } = useRead(
    'getPartner',
    { parameters: { id: value } },
    { enabled: value !== '' && !isPicked },
  );
  const given = { id: value, words: partner?.id === value ? partner.name : '…' };
  const isCurrent = text === wanted && !isPlaceholderData;
  return (
    <Combobox
      label="Partner"
      hint={hint}
      problem={problem}
      chosen={value === '' ? null : isPicked ? picked : given}
      onChoose={(choice) => {
        setPicked(choice);
        onChoose(choice.id);
      }}
      choices={isCurrent ? data?.data.map(asChoice) : undefined}
      onSearch={setText}
      nothing={
        text === ''
          ? 'There is no partner to choose. Enroll one under Partners.'
          : "No partner's name or e-mail address starts like this."
      }
    />
  );
}

function asChoice({ id, name, email }: { id: string; name: string; email: string }): Choice {
  return { id, words: name, note: email };
}
