import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import { claimsBody, readJwt } from '../../../src/carriers/kit/jwt.js'
import * as verify from '../../../src/carriers/kit/verify.js'

const NOW = 1_700_000_000_000
const SECONDS = NOW / 1000

const requestWith = (headers: Record<string, string>) => ({
  url: 'https://linehook.example.com/',
  method: 'POST' as const,
  query: new URLSearchParams(),
  key: '',
  body: Buffer.from('{}'),
  content: {},
  fields: {},
  header: (name: string) => headers[name] ?? '',
})

describe('whether a provider made a request', () => {
  for (const algorithm of ['sha1', 'sha256', 'sha512'] as const) {
    for (const encoding of ['hex', 'base64'] as const) {
      it(`is told by an HMAC (${algorithm}, ${encoding})`, () => {
        const given = createHmac(algorithm, 's3cret').update('body').digest(encoding)
        const signed = { algorithm, encoding, over: 'body', given }
        expect(verify.isHmac({ ...signed, secret: 's3cret' })).to.equal(true)
        expect(verify.isHmac({ ...signed, secret: 'another' })).to.equal(false)
        expect(verify.isHmac({ ...signed, secret: 's3cret', over: 'bodY' })).to.equal(false)
        expect(verify.isHmac({ ...signed, secret: 's3cret', given: '' })).to.equal(false)
      })
    }
  }

  it('is told by an RSA signature, with the digest that it names', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const over = Buffer.from('POST / HTTP/1.1{}')
    for (const digest of ['SHA256', 'SHA-512', 'sha224']) {
      const made = sign(digest.replace('-', ''), over, privateKey).toString('base64')
      const signed = { publicKey: key, digest, over, signature: made }
      expect(verify.isRsa(signed), digest).to.equal(true)
      expect(verify.isRsa({ ...signed, over: Buffer.from('POST / HTTP/1.1[]') })).to.equal(false)
      expect(verify.isRsa({ ...signed, signature: '' })).to.equal(false)
      expect(verify.isRsa({ ...signed, publicKey: 'no key' })).to.equal(false)
      expect(verify.isRsa({ ...signed, digest: 'MD5' })).to.equal(false)
    }
    const { publicKey: other } = generateKeyPairSync('ed25519')
    expect(verify.isRsaKey(other.export({ format: 'der', type: 'spki' }).toString('base64'))).to.equal(false)
    expect(verify.isRsaKey(key)).to.equal(true)
  })

  it('is no by every way where the account has no secret', () => {
    const given = createHmac('sha256', '').update('body').digest('hex')
    expect(verify.isHmac({ secret: '', over: 'body', given })).to.equal(false)
    expect(verify.isSecret('', '')).to.equal(false)
    expect(verify.hasBearer(requestWith({}), '')).to.equal(false)
    const bare = requestWith({ Authorization: `Basic ${Buffer.from('user:').toString('base64')}` })
    expect(verify.hasBasicAuth(bare, 'user', '')).to.equal(false)
  })

  it('is told by Ed25519, with the key in base64 or hex', () => {
    const keys = generateKeyPairSync('ed25519')
    const raw = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
    const signature = sign(null, Buffer.from('1|body'), keys.privateKey).toString('base64')
    for (const encoding of ['base64', 'hex'] as const) {
      expect(verify.isEd25519(raw.toString(encoding), '1|body', signature)).to.equal(true)
      expect(verify.isEd25519(raw.toString(encoding), '2|body', signature)).to.equal(false)
    }
    for (const broken of ['', 'x', signature.slice(4)]) {
      expect(verify.isEd25519(raw.toString('base64'), '1|body', broken)).to.equal(false)
      expect(verify.isEd25519(broken, '1|body', signature)).to.equal(false)
    }
  })

  it('is no for a moment that is more than five minutes away, before or after', () => {
    for (const [written, isFresh] of [
      [String(SECONDS), true],
      [String(SECONDS - 299), true],
      [String(SECONDS - 301), false],
      [String(SECONDS + 301), false],
      [String(NOW), true],
      [String(NOW - 301_000), false],
      [new Date(NOW).toISOString(), true],
      ['', false],
      ['soon', false],
    ] as const) {
      expect(verify.isFresh(written, NOW), written).to.equal(isFresh)
    }
  })

  it('is told by user and password, and by a bearer', () => {
    const basic = requestWith({ Authorization: `Basic ${Buffer.from('ann:pass:word').toString('base64')}` })
    expect(verify.hasBasicAuth(basic, 'ann', 'pass:word')).to.equal(true)
    expect(verify.hasBasicAuth(basic, 'ann', 'pass')).to.equal(false)
    expect(verify.hasBearer(requestWith({ Authorization: 'Bearer abc' }), 'abc')).to.equal(true)
    expect(verify.hasBearer(requestWith({ Authorization: 'abc' }), 'abc')).to.equal(false)
  })

  describe('by a JWT', () => {
    const tokenOf = (claims: object, { secret = 's3cret', alg = 'HS256' } = {}) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const signed = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    }

    for (const [what, token, isRight] of [
      ['made now', tokenOf({ iat: SECONDS }), true],
      ['that is not over', tokenOf({ exp: SECONDS + 60 }), true],
      ['that is over', tokenOf({ iat: SECONDS, exp: SECONDS - 60 }), false],
      ['that counts later', tokenOf({ iat: SECONDS, nbf: SECONDS + 60 }), false],
      ['made long ago', tokenOf({ iat: SECONDS - 400 }), false],
      ['made in the future', tokenOf({ iat: SECONDS + 400 }), false],
      ['without any time', tokenOf({ sub: 'x' }), false],
      ['with a time that is none', tokenOf({ iat: SECONDS, exp: 'never' }), false],
      ['of another secret', tokenOf({ iat: SECONDS }, { secret: 'another' }), false],
      ['that names no algorithm', tokenOf({ iat: SECONDS }, { alg: 'none' }), false],
      ['that names another algorithm', tokenOf({ iat: SECONDS }, { alg: 'HS512' }), false],
      ['without a signature', tokenOf({ iat: SECONDS }).replace(/[^.]+$/, ''), false],
      ['of four parts', `${tokenOf({ iat: SECONDS })}.x`, false],
      ['that is none', 'x.y.z', false],
      ['that is empty', '', false],
    ] as const) {
      it(`${isRight ? 'yes' : 'no'}: one ${what}`, () => {
        expect(readJwt(token, 's3cret', NOW) !== undefined).to.equal(isRight)
      })
    }

    it('no: without a secret', () => {
      expect(readJwt(tokenOf({ iat: SECONDS }, { secret: '' }), '', NOW)).to.equal(undefined)
    })

    it('that has the hash of the body in it, and of no other', () => {
      const claims = { payload_hash: verify.sha256Hex('body') }
      expect(claimsBody(claims, 'payload_hash', Buffer.from('body'))).to.equal(true)
      expect(claimsBody(claims, 'payload_hash', Buffer.from('other'))).to.equal(false)
      expect(claimsBody({}, 'payload_hash', Buffer.from('body'))).to.equal(false)
    })
  })
})
