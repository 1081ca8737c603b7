import { parseOptions } from '@node-rs/argon2'
import { expect } from 'chai'
import { hashPassword, isPassword, requireGoodPassword } from '../../src/domain/passwords.js'
import { Unavailable } from '../../src/errors.js'
import { refusal } from './refusal.js'

describe('passwords', () => {
  const refuse = (plain: string, email?: string) =>
    refusal(
      Promise.resolve().then(() => {
        requireGoodPassword(plain, email)
      }),
    )

  it('are known again by their hash, and others are not', async () => {
    const hash = await hashPassword('correct horse battery')
    expect(await isPassword(hash, 'correct horse battery')).to.equal(true)
    expect(await isPassword(hash, 'correct horse batterY')).to.equal(false)
    expect(await isPassword(hash, '')).to.equal(false)
  })

  it('are hashed with argon2id, 19 MiB and two passes, each with a salt of its own', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(parseOptions(one)).to.include({ saltLen: 16, outputLen: 32 })
    expect(one).not.to.equal(two)
  })

  it('are right for nobody who has none', async () => {
    expect(await isPassword(null, 'correct horse battery')).to.equal(false)
    expect(await isPassword(null, '')).to.equal(false)
  })

  it('are the same whether their characters come composed or decomposed', async () => {
    const hash = await hashPassword('cafe\u0301 au lait')
    expect(await isPassword(hash, 'caf\u00e9 au lait')).to.equal(true)
  })

  for (const [what, plain] of [
    ['NUL', 'twelve\0letters'],
    ['a lone surrogate', 'twelve\ud800letters'],
    ['an emoji', 'twelve 🐎 letters'],
    ['64 KiB', 'x'.repeat(65_536)],
  ] as const) {
    it(`may be compared with anything: ${what}`, async () => {
      const hash = await hashPassword('correct horse battery')
      expect(await isPassword(hash, plain)).to.equal(false)
      expect(await isPassword(await hashPassword(plain), plain)).to.equal(true)
    })
  }

  it('differ by what stands behind a NUL', async () => {
    expect(await isPassword(await hashPassword('twelve\0letters'), 'twelve\0lettres')).to.equal(false)
  })

  for (const [length, plain] of [
    [0, ''],
    [11, 'x'.repeat(11)],
    [11, '🐎'.repeat(11)],
    [257, 'x'.repeat(257)],
  ] as const) {
    it(`are not ${length} characters long (${JSON.stringify(plain.slice(0, 4))})`, async () => {
      expect(await refuse(plain)).to.deep.equal({
        status: 400,
        message: 'password must be 12 to 256 characters long',
      })
    })
  }

  for (const plain of ['x'.repeat(12), 'x'.repeat(256), '🐎'.repeat(12), 'only lower case letters']) {
    it(`may be ${plain.slice(0, 24)}, ${plain.length} units long`, () => {
      requireGoodPassword(plain, 'ada@example.com')
    })
  }

  it('are not the e-mail address, in any case', async () => {
    expect(await refuse('Ada@Example.com', ' ada@example.COM ')).to.deep.equal({
      status: 400,
      message: 'password must not be the e-mail address: choose another one',
    })
  })

  it('are checked two at a time; 32 wait, more are told to come again', async () => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => isPassword(null, 'a guess')))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).to.have.length(6)
    for (const { reason } of refused) expect(reason).to.be.instanceOf(Unavailable)
    expect(await isPassword(await hashPassword('correct horse'), 'correct horse')).to.equal(true)
  })
})
