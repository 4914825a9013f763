import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MovedFact, MovedProgram } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { counts } from './import-text.ts';

const programOf = (id: string, rateBasisPoints: number): MovedProgram => ({
  ...{ kind: 'program', id, name: `Program ${id}`, commission: { type: 'percentage', rateBasisPoints } },
  ...{ durationMonths: null, holdDays: null, minimumPayout: {}, viaParameters: [] },
});
const partnerOf = (programId: string): MovedFact => ({
  ...{
    kind: 'partner',
    id: `partner of ${programId}`,
    programId,
    email: 'ana@example.com',
    name: 'Ana',
    tenantId: null,
  },
});

describe.each(engines)('an import of several programs into a new account, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  async function importAll(facts: readonly MovedFact[], isDryRun = false) {
    const source = { name: 'old', title: 'Old service' };
    const { service, accountId } = app;
    async function* items() {
      yield* facts;
    }
    const target = { service, accountId, source, partnersBy: 'source id', programId: null } as const;
    return importFacts(target, items(), { isDryRun, reportPath: null });
  }

  it('gives the unused program to the first one only, also when it is interrupted after that', async () => {
    const [first, second, third] = [programOf('g1', 1_000), programOf('g2', 2_000), programOf('g3', 3_000)];
    const all = [first, second, third, partnerOf('g1'), partnerOf('g2')];
    expect(await importAll(all, true)).toMatchObject({ ...counts(4, 0, 0), changed: 1 });
    expect(await importAll([first])).toMatchObject({ changed: 1 });
    expect(await importAll(all)).toMatchObject(counts(4, 1, 0));
    const { data: programs } = (await app.call('GET', '/api/programs')).body;
    const termsOf = ({ name, commission }: { name: string; commission: object | null }) => [name, commission];
    expect(programs.map(termsOf).toSorted()).toEqual([first, second, third].map(termsOf));
    const { data: partners } = (await app.call('GET', '/api/partners')).body;
    const namesOfPrograms = partners.map(
      ({ programId }: { programId: string }) => programs.find(({ id }: { id: string }) => id === programId).name,
    );
    expect(namesOfPrograms.toSorted()).toEqual(['Program g1', 'Program g2']);
  });
});
