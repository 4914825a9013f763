import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { useChange } from '../../data/use-api.ts';
import { Check, Field, TextArea } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PortalPreviews } from './portal-preview.tsx';
import { cssText, parseCss, replacedMembers } from './theme-text.ts';

type Program = Answer<'getProgram'>;
type PortalConfig = Answer<'getPortalConfig'>;

const SWITCHES = [
  ['showReferralLink', 'The link'],
  ['showEarnings', 'Earnings'],
  ['showStats', 'Clicks, leads and sales'],
  ['showPayoutHistory', 'Payouts, and how they are paid'],
  ['showBranding', 'Logo, title, text and “Powered by Refbridge”'],
] as const;

type SwitchName = (typeof SWITCHES)[number][0];

/** How the portal looks; the previews follow the input. */
export function PortalAppearance({ program }: { program: Program }) {
  const { id, name, portal } = program;
  const { theme } = portal;
  const [title, setTitle] = useState(theme.title ?? '');
  const [description, setDescription] = useState(theme.description ?? '');
  const [fontFamily, setFontFamily] = useState(theme.fontFamily ?? '');
  const [logoUrl, setLogoUrl] = useState(theme.logoUrl ?? '');
  const [light, setLight] = useState(cssText(theme.shadcnTheme.light));
  const [dark, setDark] = useState(cssText(theme.shadcnTheme.dark));
  const [shown, setShown] = useState<Shown>({
    showReferralLink: portal.showReferralLink,
    showEarnings: portal.showEarnings,
    showStats: portal.showStats,
    showPayoutHistory: portal.showPayoutHistory,
    showBranding: portal.showBranding,
  });
  const [opened, setOpened] = useState(program);
  const save = useChange('updateProgram', { done: 'Saved', quiet: true, onDone: setOpened });
  const colors = { light: parseCss(light), dark: parseCss(dark) };
  const body = {
    portal: {
      ...shown,
      theme: {
        title: title || null,
        description: description || null,
        fontFamily: fontFamily || null,
        logoUrl: logoUrl || null,
        shadcnTheme: {
          light: replacedMembers(opened.portal.theme.shadcnTheme.light, colors.light),
          dark: replacedMembers(opened.portal.theme.shadcnTheme.dark, colors.dark),
        },
      },
    },
  };
  const config: PortalConfig = {
    ...shown,
    allowedOrigins: [],
    programName: name,
    programDescription: program.description,
    theme: {
      title: title || name,
      description,
      fontFamily: fontFamily || 'system-ui, sans-serif',
      logoUrl: URL.canParse(logoUrl) ? logoUrl : '',
      shadcnTheme: colors,
    },
  };
  return (
    <div className="grid grid-cols-1 items-start gap-8 xl:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
      <Form
        action="Save the appearance"
        busy={save.isPending}
        error={save.error}
        onSend={() => save.mutate({ parameters: { id }, body: changesOf(body, opened) })}
      >
        <Field label="Title" placeholder={name} value={title} onText={setTitle} />
        <Field label="Text below it" value={description} onText={setDescription} />
        <div className="grid items-start gap-3 sm:grid-cols-2 xl:grid-cols-1">
          <Field
            label="Logo"
            type="url"
            placeholder="https://example.com/logo.svg"
            value={logoUrl}
            onText={setLogoUrl}
            problem={problemOf(save.error, 'portal.theme.logoUrl')}
          />
          <Field
            label="Font"
            placeholder="Inter, sans-serif"
            value={fontFamily}
            onText={setFontFamily}
            problem={problemOf(save.error, 'portal.theme.fontFamily')}
          />
        </div>
        <Switches shown={shown} onChange={setShown} />
        <TextArea
          label="Colors, light"
          mono
          rows={4}
          value={light}
          onText={setLight}
          hint="Paste a shadcn theme: --primary: #0f766e; --radius: 0.75rem;"
        />
        <TextArea label="Colors, dark" mono rows={4} value={dark} onText={setDark} />
      </Form>
      <PortalPreviews config={config} terms={program} />
    </div>
  );
}

type Shown = Record<SwitchName, boolean>;

function Switches({ shown, onChange }: { shown: Shown; onChange(shown: Shown): void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">What partners see</legend>
      {SWITCHES.map(([member, label]) => (
        <Check
          key={member}
          label={label}
          checked={shown[member]}
          onCheck={(checked) => onChange({ ...shown, [member]: checked })}
        />
      ))}
    </fieldset>
  );
}
