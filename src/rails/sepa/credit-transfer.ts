import { minorToDecimal } from '../../core/money.ts';
import { isoDate } from '../../core/time.ts';
import type { FileContext, PaymentWithDetails } from '../contract/rail.ts';
import type { SepaDetails, SepaOptions } from './details.ts';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/**
 * ISO 20022 `pain.001.001.09` under the rules of the European Payments Council (EPC132-08). The elements follow the
 * order of the schema, amounts have two decimals, and both headers contain the number and the sum of the transfers.
 */
export function* creditTransfer(
  payments: readonly PaymentWithDetails<SepaDetails>[],
  { shortId, createdAt, options: { debtor, executionDate } }: FileContext<SepaOptions>,
): Generator<string> {
  const sum = payments.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const created = new Date(createdAt).toISOString();
  const totals = element('NbOfTxs', String(payments.length)) + element('CtrlSum', decimalOf(sum));
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">\n<CstmrCdtTrfInitn>\n`;
  yield `<GrpHdr>${element('MsgId', shortId)}${element('CreDtTm', created.slice(0, 19))}${totals}<InitgPty>${element('Nm', debtor.name)}</InitgPty></GrpHdr>\n`;
  yield `<PmtInf>${element('PmtInfId', shortId)}<PmtMtd>TRF</PmtMtd>${totals}<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>`;
  yield `<ReqdExctnDt>${element('Dt', executionDate ?? isoDate(createdAt))}</ReqdExctnDt>`;
  yield `<Dbtr>${element('Nm', debtor.name)}</Dbtr>${account('DbtrAcct', debtor.iban)}${debtorBank(debtor.bic)}<ChrgBr>SLEV</ChrgBr>\n`;
  for (const payment of payments) yield transfer(payment);
  yield '</PmtInf>\n</CstmrCdtTrfInitn>\n</Document>\n';
}

function transfer({ shortId, amount, details: { name, iban, bic } }: PaymentWithDetails<SepaDetails>): string {
  const bank = bic === null ? '' : `<CdtrAgt><FinInstnId>${element('BICFI', bic)}</FinInstnId></CdtrAgt>`;
  return (
    `<CdtTrfTxInf><PmtId>${element('EndToEndId', shortId)}</PmtId>` +
    `<Amt><InstdAmt Ccy="EUR">${minorToDecimal(amount, 'eur')}</InstdAmt></Amt>` +
    `${bank}<Cdtr>${element('Nm', name)}</Cdtr>${account('CdtrAcct', iban)}` +
    `<RmtInf>${element('Ustrd', `Payout ${shortId}`)}</RmtInf></CdtTrfTxInf>\n`
  );
}

/** The schema requires the debtor's bank. `NOTPROVIDED` means that the IBAN determines it. */
function debtorBank(bic: string | null): string {
  const id = bic === null ? `<Othr>${element('Id', 'NOTPROVIDED')}</Othr>` : element('BICFI', bic);
  return `<DbtrAgt><FinInstnId>${id}</FinInstnId></DbtrAgt>`;
}

function account(name: string, iban: string): string {
  return `<${name}><Id>${element('IBAN', iban)}</Id></${name}>`;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** Converts cents to text. A bigint, because the sum of many amounts may exceed 2^53. */
function decimalOf(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
