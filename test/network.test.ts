import { expect } from 'chai'
import { isForThisMachineOnly, isLoopback } from '../src/network.js'

describe('this machine', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
  ]) {
    it(`is ${host}`, () => {
      expect(isLoopback(host)).to.be.true
    })
  }

  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '[fd00::1]',
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'notlocalhost',
  ]) {
    it(`is not ${JSON.stringify(host)}`, () => {
      expect(isLoopback(host)).to.be.false
    })
  }

  it('alone reaches a server that listens on loopback, has a URL there, and no proxy', () => {
    const here = { host: '127.0.0.1', publicUrl: 'http://localhost:3000', trustedProxyHops: 0 }
    expect(isForThisMachineOnly(here)).to.be.true
    for (const elsewhere of [
      { host: '0.0.0.0' },
      { publicUrl: 'https://lines.example.com' },
      { trustedProxyHops: 1 },
    ]) {
      expect(isForThisMachineOnly({ ...here, ...elsewhere }), JSON.stringify(elsewhere)).to.be.false
    }
  })
})
