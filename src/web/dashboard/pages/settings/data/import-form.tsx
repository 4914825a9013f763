import { useRead } from '../../../data/use-api.ts';
import { Field, FieldFrame, FileInput, Select, TextArea } from '../../../ui/field.tsx';
import { Form, problemOf } from '../../../ui/form.tsx';
import { type ImportValues, SERVICES, serviceOf } from './import-values.ts';

const SOURCES = [['csv', 'A CSV file'], ...SERVICES.map(({ name, title }) => [name, title] as const)] as const;

const KINDS = [
  ['partners', 'Partners'],
  ['links', 'Links'],
  ['customers', 'Customers'],
  ['sales', 'Sales'],
  ['commissions', 'Commissions'],
  ['payouts', 'Payouts'],
] as const;

/** What a row of each kind needs, in words that its headings may have. */
const NEEDED: Readonly<Record<string, string>> = {
  partners: 'Needs a column email. Import partners first: everything else names them.',
  links: 'Needs partner (e-mail address or id), key and url.',
  customers: 'Needs externalId (your own id) and partner.',
  sales: 'Needs invoiceId, partner, customer, amount, currency and date.',
  commissions: 'Needs id, partner, amount, currency, status and date.',
  payouts: 'Needs id, partner, amount, currency, status and date. Import the commissions that they paid first.',
};

interface ImportFormProps {
  values: ImportValues;
  onChange(values: ImportValues): void;
  busy: boolean;
  error: Error | null;
  onSend(): void;
}

export function ImportForm({ values, onChange, busy, error, onSend }: ImportFormProps) {
  const set = (changed: Partial<ImportValues>) => onChange({ ...values, ...changed });
  const service = serviceOf(values.source);
  return (
    <Form
      action="Try it: a dry run"
      busy={busy}
      error={error}
      onSend={onSend}
      disabled={service === undefined && values.file === null}
    >
      <Select
        label="From"
        value={values.source}
        onText={(source) => set({ source, credentials: {} })}
        options={SOURCES}
      />
      {service === undefined ? (
        <FileFields values={values} set={set} error={error} />
      ) : (
        <ServiceFields values={values} set={set} error={error} />
      )}
      <ProgramField values={values} set={set} error={error} />
    </Form>
  );
}

interface FieldsProps {
  values: ImportValues;
  set(changed: Partial<ImportValues>): void;
  error: Error | null;
}

function FileFields({ values, set, error }: FieldsProps) {
  return (
    <>
      <Select
        label="Its rows are"
        value={values.kind}
        onText={(kind) => set({ kind })}
        options={KINDS}
        hint={NEEDED[values.kind]}
        problem={problemOf(error, 'settings.kind')}
      />
      <FieldFrame
        label="File"
        hint={
          values.file === null
            ? 'CSV in UTF-8, or Excel\'s "Unicode Text", with a row of headings, at most 50 MB. It is deleted when the import ends.'
            : `${values.file.name} is chosen.`
        }
        problem={problemOf(error, 'settings.fileBytes')}
      >
        {(attributes) => (
          <FileInput {...attributes} accept=".csv,.tsv,.txt,text/csv" onFile={(file) => set({ file })} />
        )}
      </FieldFrame>
      <details className="text-sm">
        <summary className="cursor-pointer text-muted-foreground">Unusual headings, and where the file is from</summary>
        <div className="mt-3 flex flex-col gap-4">
          <TextArea
            mono
            label="Columns"
            value={values.columns}
            onText={(columns) => set({ columns })}
            hint="One per line, such as: Referral slug = key. Common headings are recognized without it."
            problem={problemOf(error, 'settings.columns')}
          />
          <Field
            label="Where it is from"
            value={values.from}
            onText={(from) => set({ from })}
            placeholder="Rewardful"
            hint="Labels in the ledger what was earned there."
            problem={problemOf(error, 'settings.from')}
          />
        </div>
      </details>
    </>
  );
}

function ServiceFields({ values, set, error }: FieldsProps) {
  const service = serviceOf(values.source);
  return (
    <>
      {service?.credentials.map(({ name, question, isSecret }) => (
        <Field
          key={name}
          required
          label={question.replace(/[:\s]+$/, '')}
          type={isSecret ? 'password' : 'text'}
          autoComplete="off"
          value={values.credentials[name] ?? ''}
          onText={(text) => set({ credentials: { ...values.credentials, [name]: text } })}
          hint={isSecret ? 'Encrypted while the import runs, then deleted. Never shown again.' : undefined}
          problem={problemOf(error, `settings.credentials.${name}`)}
        />
      ))}
      <Field
        label="Where links lead"
        type="url"
        value={values.linkUrl}
        onText={(linkUrl) => set({ linkUrl })}
        placeholder="https://shop.example.com/"
        hint={`Only for links whose destination ${service?.title} does not report.`}
        problem={problemOf(error, 'settings.linkUrl')}
      />
    </>
  );
}

function ProgramField({ values, set, error }: FieldsProps) {
  const { data } = useRead('listPrograms', { query: { limit: 100 } });
  if (data === undefined || data.data.length < 2) return null;
  const isCsv = values.source === 'csv';
  return (
    <Select
      label="Program"
      value={values.programId}
      onText={(programId) => set({ programId })}
      options={[['', isCsv ? 'Choose one for new partners' : 'As in the service'], ...data.data.map(asOption)]}
      problem={problemOf(error, 'settings.programId')}
    />
  );
}

function asOption({ id, name }: { id: string; name: string }): [string, string] {
  return [id, name];
}
