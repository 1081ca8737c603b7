import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import {
  createSecrets,
  isSameSecret,
  newSigningSecret,
  newToken,
  sha256,
  SecretUnreadable,
} from '../src/secrets.js'

const PLACE = 'incoming_webhooks.token:0199'

describe('secrets', () => {
  const oldKey = randomBytes(32)
  const newKey = randomBytes(32)
  const secrets = createSecrets([oldKey])

  it('open to what was sealed, whatever it was', () => {
    for (const plain of ['token', '', 'ä 🙂 \0', 'x'.repeat(10_000)]) {
      expect(secrets.open(secrets.seal(plain, PLACE), PLACE)).to.equal(plain)
    }
  })

  it('are not readable where they are kept, and look different each time', () => {
    const sealed = secrets.seal('hunter2-hunter2', PLACE)
    expect(sealed.includes('hunter2')).to.be.false
    expect(secrets.seal('hunter2-hunter2', PLACE).equals(sealed)).to.be.false
  })

  it('are put under the first key without being changed themselves, and need the old one no more', () => {
    const sealed = secrets.seal('token', PLACE)
    const both = createSecrets([newKey, oldKey])
    const resealed = both.reseal(sealed, PLACE)
    expect(createSecrets([newKey]).open(resealed!, PLACE)).to.equal('token')
    expect(both.reseal(resealed!, PLACE)).to.equal(undefined)
    expect(() => both.reseal(sealed, 'endpoints.secret:0199')).to.throw(SecretUnreadable)
    expect(() => createSecrets([newKey]).reseal(sealed, PLACE)).to.throw(/no key/)
  })

  it('do not open when they were copied to another row', () => {
    const sealed = secrets.seal('token', PLACE)
    expect(() => secrets.open(sealed, 'incoming_webhooks.token:0200')).to.throw(SecretUnreadable)
    expect(() => secrets.open(sealed, 'endpoints.secret:0199')).to.throw(SecretUnreadable)
  })

  it('do not open when a single bit was changed, wherever it is', () => {
    const sealed = secrets.seal('token', PLACE)
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed[index] = changed[index]! ^ 1
      expect(() => secrets.open(changed, PLACE), `byte ${index}`).to.throw(SecretUnreadable)
    }
  })

  it('do not open when they were cut short or made longer', () => {
    const sealed = secrets.seal('', PLACE)
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => secrets.open(sealed.subarray(0, length), PLACE), `${length} bytes`).to.throw(
        SecretUnreadable,
      )
    }
    expect(() => secrets.open(Buffer.concat([sealed, Buffer.of(0)]), PLACE)).to.throw(SecretUnreadable)
  })

  it('are refused for what is left of their tag: one of 4 bytes could be guessed', () => {
    const sealed = secrets.seal('', PLACE)
    const dataAt = sealed.length - (12 + 16)
    for (const tagBytes of [4, 8, 12, 15]) {
      const cut = sealed.subarray(0, dataAt + tagBytes)
      expect(() => secrets.open(cut, PLACE), `${tagBytes} bytes`).to.throw(SecretUnreadable)
    }
  })

  it('do not open when the parts of two sealed values are put together', () => {
    const [one, other] = [secrets.seal('one', PLACE), secrets.seal('two', PLACE)]
    const dataAt = one.length - (12 + 3 + 16)
    const mixed = Buffer.concat([one.subarray(0, dataAt), other.subarray(dataAt)])
    expect(() => secrets.open(mixed, PLACE)).to.throw(SecretUnreadable)
  })

  it('open with a retired key, and are sealed with the first', () => {
    const sealedBefore = secrets.seal('token', PLACE)
    const rotated = createSecrets([newKey, oldKey])
    expect(rotated.open(sealedBefore, PLACE)).to.equal('token')
    const sealedAfter = rotated.seal('token', PLACE)
    expect(createSecrets([newKey]).open(sealedAfter, PLACE)).to.equal('token')
    expect(() => secrets.open(sealedAfter, PLACE)).to.throw(SecretUnreadable)
  })

  it('name the key that is missing by its id, which tells nothing of the key', () => {
    const sealed = secrets.seal('token', PLACE)
    const id = createHash('sha256').update('linehook key id').update(oldKey).digest('hex').slice(0, 8)
    expect(() => createSecrets([newKey]).open(sealed, PLACE)).to.throw(`ENCRYPTION_KEY has no key ${id}`)
  })

  it('of an unknown format are refused by that name', () => {
    expect(() => secrets.open(Buffer.of(9, 1, 2, 3), PLACE)).to.throw('unknown format')
  })

  it('cannot be made without a key', () => {
    expect(() => createSecrets([])).to.throw('needs a key')
  })
})

describe('tokens', () => {
  it('have 256 bits, are safe in a URL, and are never the same', () => {
    const tokens = Array.from({ length: 1000 }, () => newToken())
    for (const token of tokens) {
      expect(token).to.match(/^[A-Za-z0-9_-]{43}$/)
      expect(Buffer.from(token, 'base64url')).to.have.length(32)
      expect(encodeURIComponent(token)).to.equal(token)
    }
    expect(new Set(tokens).size).to.equal(1000)
    const ones = tokens.reduce((sum, token) => sum + countOnes(Buffer.from(token, 'base64url')), 0)
    expect(ones / (1000 * 256)).to.be.within(0.48, 0.52)
  })

  it('are compared by what they are, also when their lengths differ', () => {
    expect(isSameSecret('token', 'token')).to.be.true
    for (const other of ['', 'token ', 'Token', 'toke', 'tokem'])
      expect(isSameSecret(other, 'token')).to.be.false
  })

  it('are recognised by their SHA-256', () => {
    expect(sha256('abc').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

describe('signing secrets', () => {
  it('are 32 random bytes as Standard Webhooks writes them', () => {
    const secret = newSigningSecret()
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32)
    expect(newSigningSecret()).not.to.equal(secret)
  })

  it('are taken by the Standard Webhooks library', () => {
    const webhook = new Webhook(newSigningSecret())
    const now = new Date()
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign('msg_1', now, '{}'),
    }
    expect(webhook.verify('{}', headers)).to.deep.equal({})
  })
})

function countOnes(bytes: Buffer): number {
  return [...bytes].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
}
