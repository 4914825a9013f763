import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';

describe('a service', () => {
  let test: TestDatabase;
  let service: Service;
  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
    service = createTestService({ database: test.database });
  });
  afterAll(() => test.remove());

  const createVisits = () => ({ count: 0 });
  const createHosts = ({ baseUrl }: Service) => [new URL(baseUrl).host];

  it('keeps one state for each function that creates one', () => {
    service.state(createVisits).count += 1;
    service.state(createVisits).count += 1;
    service.state(createHosts).push('go.example.com');
    expect(service.state(createVisits)).toEqual({ count: 2 });
    expect(service.state(createHosts)).toEqual(['refer.example.com', 'go.example.com']);
  });

  it('shares no state with another service, not even one built from its parts', () => {
    service.state(createVisits).count += 1;
    const other = createService({ ...service, baseUrl: 'https://other.example.com' });
    expect(other.state(createVisits)).toEqual({ count: 0 });
    expect(other.state(createHosts)).toEqual(['other.example.com']);
  });

  it('is immutable: its members cannot be replaced', () => {
    const patched = service as { baseUrl: string };
    expect(() => {
      patched.baseUrl = 'https://evil.example.com';
    }).toThrow(TypeError);
  });
});
