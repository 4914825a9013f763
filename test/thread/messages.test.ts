import { expect, it } from 'vitest';
import { ServiceError, unavailable } from '../../src/errors.ts';
import { copyError, errorFrom, packDeliveries, unpackDeliveries } from '../../src/thread/messages.ts';
import { paymentJob } from '../helpers/delivery-job.ts';
import { asId } from '../helpers/ids.ts';

const cross = (error: unknown) => errorFrom(structuredClone(copyError(error)));

it('a service error arrives with everything that the answer and the log need', () => {
  const error = cross(unavailable('The database is locked', new Error('SQLITE_BUSY'), 7));
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 7 });
  expect(error.message).toBe('The database is locked. Nothing was recorded; try again shortly');
  expect((error.cause as Error).message).toBe('SQLITE_BUSY');
  expect(cross(new ServiceError('CONFLICT', 'twice'))).toMatchObject({
    code: 'CONFLICT',
    retryAfterSeconds: undefined,
  });
});

it('a bug arrives as an ordinary error, with its own stack', () => {
  const bug = new TypeError('x is not a function');
  const error = cross(bug);
  expect(error).not.toBeInstanceOf(ServiceError);
  expect([error.message, error.stack]).toEqual([bug.message, bug.stack]);
  expect(cross('thrown text').message).toBe('thrown text');
});

it('deliveries arrive as sent, each with its own bytes, even none', () => {
  const jobs = ['in_1', 'in_2', 'in_3'].map((invoice, index) => {
    const job = paymentJob({ accountId: asId('acc_1'), endpointId: asId('whe_1') }, invoice, null);
    const body = index === 1 ? Buffer.alloc(0) : Buffer.from(`\0\xff${invoice}`, 'latin1');
    return { number: index + 7, job: { ...job, received: { ...job.received, body } } };
  });
  const packed = packDeliveries(jobs);
  const arrived = unpackDeliveries(structuredClone(packed, { transfer: [packed.bodies] }));
  expect(arrived).toEqual(jobs);
  expect(arrived.every(({ job }) => Buffer.isBuffer(job.received.body))).toBe(true);
  expect(packed.bodies.byteLength).toBe(0);
});
