import { expect } from 'chai'
import fc from 'fast-check'
import { readKeyword } from '../../../../src/domain/messages/opt-out/keywords.js'

describe('a keyword', () => {
  for (const word of ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']) {
    it(`${word} opts out, in any case and with space around it`, () => {
      const mixed = word.slice(0, 1) + word.slice(1).toLowerCase()
      for (const text of [word, word.toLowerCase(), mixed, `  ${word}\n`, `\t${mixed} `]) {
        expect(readKeyword(text), JSON.stringify(text)).to.equal('stop')
      }
    })
  }

  for (const word of ['START', 'UNSTOP']) {
    it(`${word} opts back in, in any case and with space around it`, () => {
      for (const text of [word, word.toLowerCase(), ` ${word} `]) expect(readKeyword(text)).to.equal('start')
    })
  }

  for (const word of ['HELP', 'INFO']) {
    it(`${word} asks for help, in any case and with space around it`, () => {
      for (const text of [word, word.toLowerCase(), ` ${word} `]) expect(readKeyword(text)).to.equal('help')
    })
  }

  it('is read from a whole text only', () => {
    const texts = [
      'stop it',
      'please stop',
      'STOP STOP',
      'the end',
      'non-stop',
      'restart',
      'STOP.',
      '',
      '  ',
      'Hello',
      'HELP ME',
      'YES',
    ]
    for (const text of texts) expect(readKeyword(text), JSON.stringify(text)).to.be.undefined
  })

  it('can be read from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['stop', 'start', 'help', undefined]).to.include(readKeyword(text))
      }),
    )
  })
})
