import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

const SCHEMA = new URL('./pain.001.001.09.xsd', import.meta.url);

/** The errors of a file under the schema of SEPA credit transfers; empty when it is valid. */
export async function schemaErrorsOf(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: 'file.xml', contents: xml }],
    schema: [readFileSync(SCHEMA, 'utf8')],
  });
  return errors.map(({ message }) => message);
}
