import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { Check, Field, TextArea } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PortalPreviews } from './portal-preview.tsx';
import { cssText, parseCss, replacedMembers } from './theme-text.ts';
import { useProgramForm } from './use-program-form.ts';

type Program = Answer<'getProgram'>;
type PortalConfig = Answer<'getPortalConfig'>;

const SWITCHES = [
  ['showReferralLink', 'The link'],
  ['showEarnings', 'Earnings'],
  ['showStats', 'Clicks, leads and sales'],
  ['showPayoutHistory', 'Payouts, and how they are paid'],
  ['showBranding', 'Logo, title, text and “Powered by Refbridge”'],
] as const;

type Shown = Record<(typeof SWITCHES)[number][0], boolean>;

function appearanceText({ portal }: Program) {
  const { title, description, fontFamily, logoUrl, shadcnTheme } = portal.theme;
  const shown: Shown = {
    showReferralLink: portal.showReferralLink,
    showEarnings: portal.showEarnings,
    showStats: portal.showStats,
    showPayoutHistory: portal.showPayoutHistory,
    showBranding: portal.showBranding,
  };
  return {
    title: title ?? '',
    description: description ?? '',
    fontFamily: fontFamily ?? '',
    logoUrl: logoUrl ?? '',
    light: cssText(shadcnTheme.light),
    dark: cssText(shadcnTheme.dark),
    shown,
  };
}

/** How the portal looks; the previews follow the input. */
export function PortalAppearance({ program }: { program: Program }) {
  const { name } = program;
  const { text, set, opened, send, busy, error } = useProgramForm(program, appearanceText);
  const { title, description, fontFamily, logoUrl, light, dark, shown } = text;
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
      <Form action="Save the appearance" busy={busy} error={error} onSend={() => send(changesOf(body, opened))}>
        <Field
          label="Title"
          placeholder={name}
          value={title}
          onText={(words) => set({ title: words })}
          problem={problemOf(error, 'portal.theme.title')}
        />
        <Field
          label="Text below it"
          value={description}
          onText={(words) => set({ description: words })}
          problem={problemOf(error, 'portal.theme.description')}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-1">
          <Field
            label="Logo"
            type="url"
            placeholder="https://example.com/logo.svg"
            value={logoUrl}
            onText={(url) => set({ logoUrl: url })}
            problem={problemOf(error, 'portal.theme.logoUrl')}
          />
          <Field
            label="Font"
            placeholder="Inter, sans-serif"
            value={fontFamily}
            onText={(font) => set({ fontFamily: font })}
            problem={problemOf(error, 'portal.theme.fontFamily')}
          />
        </div>
        <Switches shown={shown} onChange={(switches) => set({ shown: switches })} />
        <TextArea
          label="Colors, light"
          mono
          rows={4}
          value={light}
          onText={(css) => set({ light: css })}
          hint="Paste a shadcn theme: --primary: #0f766e; --radius: 0.75rem;"
          problem={problemOf(error, 'portal.theme.shadcnTheme.light')}
        />
        <TextArea
          label="Colors, dark"
          mono
          rows={4}
          value={dark}
          onText={(css) => set({ dark: css })}
          problem={problemOf(error, 'portal.theme.shadcnTheme.dark')}
        />
      </Form>
      <PortalPreviews config={config} terms={program} />
    </div>
  );
}

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
