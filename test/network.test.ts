import { expect } from 'chai'
import { isForThisMachineOnly, isLoopback, isProxyUntold, withoutPort } from '../src/network.js'

describe('this machine', () => {
  const here = 'localhost LOCALHOST localhost. app.localhost 127.0.0.1 127.8.9.10 ::1 [::1] ::ffff:127.0.0.1'
  const elsewhere =
    '0.0.0.0 :: 10.0.0.1 [fd00::1] example.com localhost.example.com 127.0.0.1.example.com notlocalhost'
  for (const [hosts, isHere] of [
    [here.split(' '), true],
    [['', ...elsewhere.split(' ')], false],
  ] as const) {
    it(`is ${isHere ? '' : 'not '}${hosts.join(', ')}`, () => {
      for (const host of hosts) expect(isLoopback(host), host).to.equal(isHere)
    })
  }

  for (const [publicUrl, trustedProxyHops, isUntold] of [
    ['https://lines.example.com', 0, true],
    ['https://lines.example.com', 1, false],
    ['http://lines.example.com', 0, false],
  ] as const) {
    it(`${isUntold ? 'has not told of a' : 'need not tell of a further'} proxy: ${publicUrl}, ${trustedProxyHops} hops`, () => {
      expect(isProxyUntold({ publicUrl, trustedProxyHops })).to.equal(isUntold)
    })
  }

  it('alone reaches a server that listens on loopback, has a URL there, and no proxy', () => {
    const alone = { host: '127.0.0.1', publicUrl: 'http://localhost:3000', trustedProxyHops: 0 }
    expect(isForThisMachineOnly(alone)).to.be.true
    for (const changed of [
      { host: '0.0.0.0' },
      { publicUrl: 'https://lines.example.com' },
      { trustedProxyHops: 1 },
    ]) {
      expect(isForThisMachineOnly({ ...alone, ...changed }), JSON.stringify(changed)).to.be.false
    }
  })
})

describe('the address that a proxy names', () => {
  for (const [written, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:50123', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['unknown', 'unknown'],
    ['', ''],
  ] as const) {
    it(`has no port: ${written}`, () => {
      expect(withoutPort(written)).to.equal(address)
    })
  }
})
