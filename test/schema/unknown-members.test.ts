import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pageInput } from '../../src/app/page.ts';
import { commissionField } from '../../src/programs/terms-fields.ts';
import { metadataField, optional, text, withDefault } from '../../src/schema/fields.ts';
import { parseInput, parsePatch } from '../../src/schema/parse.ts';
import { unknownMembers } from '../../src/schema/unknown-members.ts';

const schema = z.object({
  name: text(),
  holdDays: optional(z.number()),
  commission: withDefault(commissionField, { type: 'flat', amounts: {} }),
  theme: optional(z.object({ title: optional(text()), colours: z.record(z.string(), z.object({ light: text() })) })),
  rules: withDefault(z.array(z.object({ country: text() })), []),
  metadata: optional(metadataField),
});

const ALL = 'name, holdDays, commission, theme, rules, metadata';
const PERCENTAGE = { type: 'percentage', rateBasisPoints: 2000 };
const FLAT = { type: 'flat', amounts: { usd: 500 } };

describe('the unknown members of an input', () => {
  it('are not looked for in lists of texts, which may have thousands', () => {
    const unread = new Proxy(['a'], { get: () => expect.unreachable('the list was read') });
    expect(unknownMembers(z.object({ ids: optional(z.array(text())) }), { ids: unread, id: 'a' })).toEqual([
      { path: 'id', message: 'is not known; did you mean ids?' },
    ]);
  });

  it('are none when the schema has every member, whatever its free-form data contains', () => {
    const metadata = { plan: 'pro', nested: { anything: [{ goes: true }] } };
    const theme = { title: 'x', colours: { primary: { light: 'red' } } };
    expect(
      unknownMembers(schema, { name: 'x', commission: FLAT, theme, rules: [{ country: 'PT' }], metadata }),
    ).toEqual([]);
    expect(unknownMembers(schema, { name: null, theme: null, rules: null })).toEqual([]);
  });

  it.each([
    ['a typing error', { nmae: 'x' }, 'nmae', 'did you mean name?'],
    ['another case', { holddays: 3 }, 'holddays', 'did you mean holdDays?'],
    ['a name that is far from every known one', { colour: 'red' }, 'colour', `known are ${ALL}`],
    ['a short name, which is near to everything', { x: 1 }, 'x', `known are ${ALL}`],
    ['a name that shares one letter with a short one', { rank: 1 }, 'rank', `known are ${ALL}`],
    ['a member of every object', { toString: 1 }, 'toString', `known are ${ALL}`],
    ['a member that is null', { holdDay: null }, 'holdDay', 'did you mean holdDays?'],
    ['an object behind a default', { theme: { titel: 'x' } }, 'theme.titel', 'did you mean title?'],
    ['a record', { theme: { colours: { ring: { lite: 1 } } } }, 'theme.colours.ring.lite', 'did you mean light?'],
    ['an array', { rules: [{ country: 'PT' }, { county: 'PT' }] }, 'rules.1.county', 'did you mean country?'],
    [
      'the alternative that is not complete',
      { commission: { type: 'percentage', rateBasisPoint: 2000 } },
      'commission.rateBasisPoint',
      'did you mean rateBasisPoints?',
    ],
    [
      'the alternative that its type names',
      { commission: { type: 'flat', amount: { usd: 1 } } },
      'commission.amount',
      'did you mean amounts?',
    ],
    [
      'an alternative with a member of the other one',
      { commission: { ...FLAT, rateBasisPoints: 2000 } },
      'commission.rateBasisPoints',
      'known are type, amounts',
    ],
  ])('are reported by their path and the closest name: %s', (_case, input, path, hint) => {
    expect(unknownMembers(schema, input)).toEqual([{ path, message: `is not known; ${hint}` }]);
  });

  it('are reported for a schema without members', () => {
    expect(unknownMembers(z.object({}), { verbose: '1' })).toEqual([
      { path: 'verbose', message: 'is not known; nothing is expected here' },
    ]);
  });

  it('include an own __proto__, which objects do not enumerate otherwise', () => {
    const [problem] = unknownMembers(schema, JSON.parse('{"__proto__": {"name": "x"}}'));
    expect(problem).toMatchObject({ path: '__proto__' });
  });

  it('are reported together with every other problem of a request', () => {
    const refuse = () => parseInput(schema, { nmae: 'x', holdDays: '3' }, { unknown: 'refuse' });
    expect(refuse).toThrow('nmae: is not known; did you mean name?; name: is required; holdDays: must be a number');
    expect(() => parseInput(pageInput('ptr'), { limits: '5' }, { unknown: 'refuse' })).toThrow(
      'limits: is not known; did you mean limit?',
    );
  });

  it('are named up to the hundredth, so that no error has megabytes', () => {
    const input = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index}`, index]));
    expect(unknownMembers(schema, input)).toHaveLength(100);
    const refuse = () => parseInput(schema, input, { unknown: 'refuse' });
    expect(refuse).toThrow(/x99: is not known[^;]*;[^;]*; and more$/);
  });

  it('are ignored where callers may send more than needed', () => {
    expect(parseInput(schema, { name: 'x', nmae: 'y' }, { unknown: 'ignore' })).not.toHaveProperty('nmae');
  });
});

describe('the unknown members of a patch', () => {
  it.each([
    ['a typing error', { nmae: 'x' }, 'nmae: is not known; did you mean name?'],
    ['a typing error in what is to be removed', { holdDay: null }, 'holdDay: is not known; did you mean holdDays?'],
    [
      'what no alternative knows',
      { commission: { rateBasisPoint: 2000 } },
      'commission.rateBasisPoint: is not known; did you mean rateBasisPoints?',
    ],
    [
      'what no alternative knows, beside its type',
      { commission: { type: 'flat', amount: {} } },
      'commission.amount: is not known; did you mean amounts?',
    ],
  ])('are refused: %s', (_case, patch, problem) => {
    expect(() => parsePatch(schema, patch)).toThrow(problem);
  });

  it('are none when only the merge shows which alternative results', () => {
    for (const commission of [{ amounts: { eur: 1 } }, { ...FLAT, rateBasisPoints: null }, PERCENTAGE, null]) {
      expect(parsePatch(schema, { commission })).toEqual({ commission });
    }
  });
});

describe('the unknown members of a union', () => {
  it('finds the alternative by its discriminator, without checking lists of thousands for each of them', () => {
    let checks = 0;
    const ids = z.array(
      z.string().refine(() => {
        checks += 1;
        return true;
      }),
    );
    const file = z.discriminatedUnion('rail', [
      z.object({ rail: z.literal('sepa'), ids, debtor: text() }),
      z.object({ rail: z.literal('wise'), ids }),
    ]);
    const unknown = (input: object) => unknownMembers(file, input).map(({ path }) => path);
    expect(unknown({ rail: 'sepa', ids: ['a', 'b'], debtor: 'd' })).toEqual([]);
    expect(unknown({ rail: 'wise', ids: ['a', 'b'], debtor: 'd' })).toEqual(['debtor']);
    expect(checks).toBe(0);
  });
});
