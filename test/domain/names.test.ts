import { expect } from 'chai'
import { listApiTokens } from '../../src/database/people/api-tokens.js'
import { listApplicationsOf } from '../../src/database/applications/applications.js'
import { listUsers } from '../../src/database/people/users.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { registerApplication } from '../../src/domain/applications/applications.js'
import { addLine, getOwnLine, renameLine } from '../../src/domain/lines/lines.js'
import { asName, readName, readOptionalName } from '../../src/domain/names.js'
import { addUser } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { describeContext } from '../helpers/context.js'
import { FIELDS } from './applications/applications.js'
import { refusal } from './refusal.js'

const UNSEEN = {
  'a zero width space': '\u200b',
  'a word joiner': '\u2060',
  'a Hangul filler': '\u3164',
  'a half-width Hangul filler': '\uffa0',
  'a soft hyphen': '\u00ad',
  'a combining grapheme joiner': '\u034f',
  'a zero width joiner': '\u200d',
  'a variation selector': '\ufe0f',
  'a Mongolian vowel separator': '\u180e',
  'an interlinear annotation': '\ufff9',
  'a language tag': '\u{e0041}',
  'an accent on nothing': '\u0301',
  'an empty braille cell': '\u2800',
  'several of them between spaces': '\u200b \u3164\u00a0\u2060',
  'one beside a NUL': '\0\u200b\0',
}

describeContext('a name', (context) => {
  let userId: string

  before(async () => {
    userId = (await addUser(context, { email: 'ada@example.com' })).id
  })

  for (const [what, name] of Object.entries(UNSEEN)) {
    it(`cannot be ${what}, of an application, a line, an API token or a user`, async () => {
      const line = await addLine(context, {
        userId,
        number: `+1415555${nextNumber()}`,
        carrierAccount: 'simulator',
      })
      const refused = { status: 400, message: 'name must contain at least one visible character' }
      for (const attempt of [
        () => registerApplication(context, userId, { ...FIELDS, name }),
        () => addLine(context, { userId, number: '+14155550000', carrierAccount: 'simulator', name }),
        () => renameLine(context, userId, line.id, name),
        () => createApiToken(context, userId, name),
        () => addUser(context, { email: 'eve@example.com', name }),
      ]) {
        expect(await refusal(attempt())).to.deep.equal(refused)
      }
      expect(await getOwnLine(context, userId, line.id)).to.include({ name: line.number })
      expect(await listApplicationsOf(context.db, userId)).to.deep.equal([])
      expect(await listApiTokens(context.db, userId)).to.deep.equal([])
      expect(await listUsers(context.db)).to.have.length(1)
    })
  }

  for (const name of [
    'Front desk',
    'ж',
    '7',
    '?',
    '❤️',
    '👩‍💻',
    'می‌خواهم',
    'e\u0301',
    'クリニック',
    '€',
    '\u00ad-',
    '\uf8ff',
  ]) {
    it(`can be ${JSON.stringify(name)}`, () => {
      expect(readName(` ${name} `)).to.equal(name)
    })
  }

  it('is one line, in the order in which it is written', () => {
    for (const name of ['a\nb', 'a\tb', 'a\u0007', 'a\u0085b', 'Bank\u202egro.elpmaxe', 'a\u2066b']) {
      expect(() => readName(name)).to.throw(UserError, 'name must be one line of text')
    }
  })

  it('has 1 to 100 characters, or is said to be otherwise in the words of what it is of', () => {
    for (const name of ['x'.repeat(100), '😀'.repeat(100)]) expect(readName(name)).to.equal(name)
    for (const name of ['', ' ', '\0', 'x'.repeat(101), '😀'.repeat(101)]) {
      expect(() => readName(name)).to.throw(UserError, 'name must have 1 to 100 characters')
      expect(() => readName(name, 'say what for')).to.throw(UserError, 'say what for')
    }
  })

  it('may be left empty where there is something else to call it by', () => {
    for (const name of [undefined, '', ' \0 ', '\u3000']) expect(readOptionalName(name)).to.equal(undefined)
    expect(readOptionalName(' Ada ')).to.equal('Ada')
    expect(() => readOptionalName('\u200b')).to.throw(UserError)
  })

  it('that a carrier has is taken as far as it can be one', () => {
    expect(asName(` (415) 555-2671 ${'x'.repeat(200)}`)).to.equal(`(415) 555-2671 ${'x'.repeat(84)}`)
    expect(asName('😀'.repeat(200))).to.equal('😀'.repeat(100))
    for (const name of ['', '\u200b', 'a\nb']) expect(asName(name)).to.equal(undefined)
  })
})

let count = 0

function nextNumber(): string {
  count += 1
  return String(1000 + count)
}
