import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { networkOf } from '../../src/app/network.ts';
import { clientAddress, trustedProxies } from '../../src/http/client-address.ts';

function requestFrom(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return request;
}

describe('the address of a client', () => {
  it.each([
    [false, '10.0.0.1', '203.0.113.7', '10.0.0.1'],
    [1, '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    [1, '10.0.0.1', '198.51.100.9, 203.0.113.7', '203.0.113.7'],
    [2, '10.0.0.1', '198.51.100.9,203.0.113.7', '198.51.100.9'],
    [5, '10.0.0.1', '198.51.100.9, 203.0.113.7', '198.51.100.9'],
    [1, '10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.1', '198.51.100.9, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['10.0.0.0/8', '192.0.2.1', '203.0.113.7', '192.0.2.1'],
    ['10.0.0.0/8', '10.0.0.1', 'unknown', 'unknown'],
    ['loopback', '::1', '2001:db8::1', '2001:db8::1'],
  ])('with trust proxy %s from %s for %s is %s, as in Express', (trustProxy, remote, forwardedFor, expected) => {
    const app = express().set('trust proxy', trustProxy);
    const request = requestFrom(remote, forwardedFor);
    expect(clientAddress(request, app.get('trust proxy fn'))).toBe(expected);
    expect(clientAddress(request, trustedProxies(trustProxy))).toBe(expected);
    const { ip } = Object.setPrototypeOf(request, Object.assign(app.request, { app }));
    expect(ip).toBe(expected);
  });

  it.each([
    [1, '203.0.113.7:40001', '203.0.113.7'],
    [1, '[2001:db8::1]:40001', '2001:db8::1'],
    [1, '[2001:db8::1]', '2001:db8::1'],
    [1, '2001:db8::1:4000', '2001:db8::1:4000'],
    ['10.0.0.0/8', '198.51.100.9:40001, 203.0.113.7:40002, 10.1.2.3:443', '203.0.113.7'],
  ])(
    'with trust proxy %s and ports, as some proxies report them, for %s is %s',
    (trustProxy, forwardedFor, expected) => {
      expect(clientAddress(requestFrom('10.0.0.1', forwardedFor), trustedProxies(trustProxy))).toBe(expected);
    },
  );

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1:2:3:4', 'fe80:0:0:0'],
    ['unknown', 'unknown'],
    ['_hidden-1', 'unknown'],
    ['203.0.113.7:', 'unknown'],
    ['', 'unknown'],
  ])('%s is in the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
