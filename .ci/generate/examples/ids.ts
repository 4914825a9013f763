/** One id of each kind in the service's format, so that all examples are about the same partner and the same sale. */
export const EXAMPLE_IDS = {
  apiKey: 'key_019df21bc7407000b4c1d2e3f4a50607',
  click: 'clk_019ec715bc58Zq2mVb8Kx4Tn1WsYc3D',
  customer: 'cus_019ec7266dc8700085d2e3f4a5b60718',
  delivery: 'dlv_019f6a5e8458700096e3f4a5b6c70829',
  endpoint: 'whe_019df21bc7417000a7f4a5b6c7d8093a',
  entry: 'ent_019f6a5e8458700188a5b6c7d8e90a4b',
  lead: 'led_019ec7266dc8700199b6c7d8e9fa0b5c',
  operator: 'opr_019df21bc7427000c0d1e2f3a4b5c6d7',
  session: 'ses_019f6a50a1c0700081a2b3c4d5e6f708',
  auditEntry: 'aud_019f6a5234007000b2c3d4e5f6a7b809',
  link: 'lnk_019df22608407000aac7d8e9fa0b1c6d',
  partner: 'ptr_019df22608407001bbd8e9fa0b1c2d7e',
  payment: 'pmt_019f6a5e845870028ce9fa0b1c2d3e8f',
  payout: 'pay_01a00d72750070009dfa0b1c2d3e4f90',
  program: 'prg_019df21bc7407001ae0b1c2d3e4f5a01',
  sale: 'sal_019f6a5e84587003bf1c2d3e4f5a6b12',
} as const;
