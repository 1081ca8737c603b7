import { parseOptions } from '@node-rs/argon2'
import { expect } from 'chai'
import {
  hashPassword,
  isPassword,
  PASSWORD_GUESSABLE,
  requireGoodPassword,
} from '../../../src/domain/people/passwords.js'
import { Unavailable } from '../../../src/errors.js'
import { refusal } from '../refusal.js'

describe('passwords', () => {
  const refuse = (plain: string, email?: string) => refusal(requireGoodPassword(plain, email))

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

  const long = 'four words that do not belong together '.repeat(7).slice(0, 256)
  it('may be of one kind of characters only', async () => {
    for (const plain of ['vqmzoktxwnpb', 'VQMZOKTXWNPB', '742915806372', '%&/=+*#;:-_<', '  ſ  µ  ß  ð']) {
      await requireGoodPassword(plain, 'ada@example.com')
    }
  })

  for (const plain of [
    'vq7 mz0 kt2x',
    long,
    '🐎🦉🐢🦔🐙🦑🦀🐌🐝🦋🐞🕷',
    'only lower case letters',
    'grüne Äpfel im Mai',
  ]) {
    it(`may be ${plain.slice(0, 24)}, ${plain.length} units long`, async () => {
      await requireGoodPassword(plain, 'ada@example.com')
    })
  }

  for (const plain of [
    ...[
      'password1234',
      'iloveyouforever',
      'manchesterunited',
      'unbelievable',
      'administrator',
      'princess1234',
    ],
    ...['1q2w3e4r5t6y', '1qaz2wsx3edc', 'qwertyuiop[]', 'zaq12wsxcde3', '123456789012', 'abc123abc123'],
    ...['linehook2026', 'L1neh00k!!!!', 'linehooklinehook', 'Linehook-Queues-2026', 'welcome-to-linehook'],
    ...['grace.hopper', 'gracehopper1', 'Grace.Hopper1'],
    ...['x'.repeat(12), 'x'.repeat(256), '🐎'.repeat(12), 'P@ssw0rd'.repeat(32)],
  ]) {
    it(`are not ${plain.slice(0, 24)}, which is guessed soon`, async () => {
      const fault = await refuse(plain, 'grace.hopper@example.com')
      expect(fault).to.deep.equal({ status: 400, message: PASSWORD_GUESSABLE })
    })
  }

  it('are judged in a time that nobody notices, whatever they are', async () => {
    await requireGoodPassword('four words that do not belong')
    for (const part of ['P@ssw0rd', '1a2b', '4dm1n', 'qwErtY$', '0123456789']) {
      // The processor's time: that of the clock is also what others on the machine take.
      const before = process.cpuUsage()
      await refuse(part.repeat(64).slice(0, 256))
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000, part).to.be.below(500)
    }
  })

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
