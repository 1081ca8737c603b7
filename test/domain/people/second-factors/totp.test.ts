import { expect } from 'chai'
import { Secret } from 'otpauth'
import { findStep, newTotpSecret, totpUri } from '../../../../src/domain/people/second-factors/totp.js'

/** RFC 6238, appendix B, SHA-1. Its codes have eight digits; ours are the last six of them. */
const VECTORS = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const
const SECRET = Secret.fromUTF8('12345678901234567890').base32

describe('the codes of an authenticator app', () => {
  for (const [seconds, code] of VECTORS) {
    it(`are those of RFC 6238 at ${seconds} s, for the step before and after too, and no longer`, () => {
      const step = Math.floor(seconds / 30)
      const at = (offset: number) => findStep(SECRET, code.slice(2), (seconds + offset) * 1000)
      expect([at(0), at(-30), at(30)]).to.deep.equal([step, step, step])
      expect([at(-60), at(60), at(3600)]).to.deep.equal([undefined, undefined, undefined])
    })
  }

  it('have six digits and nothing else', () => {
    for (const wrong of ['', '94287082', '28708', '287082 ', '２８７０８２', 'abcdef', '-87082']) {
      expect(findStep(SECRET, wrong, 59_000), wrong).to.equal(undefined)
    }
  })

  it('come from a secret of 160 bits, each time another one', () => {
    const [first, second] = [newTotpSecret(), newTotpSecret()]
    expect(first).to.match(/^[A-Z2-7]{32}$/)
    expect(second).to.not.equal(first)
  })

  it('are made by what the QR code says', () => {
    const uri = new URL(totpUri(SECRET, 'ada@example.com', 'Linehook (linehook.example)'))
    expect(uri.protocol + uri.host).to.equal('otpauth:totp')
    expect(decodeURIComponent(uri.pathname)).to.equal('/Linehook (linehook.example):ada@example.com')
    expect(Object.fromEntries(uri.searchParams)).to.deep.equal({
      issuer: 'Linehook (linehook.example)',
      secret: SECRET,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
