import { expect } from 'chai'
import { UserError } from '../src/errors.js'
import { createVocabulary } from '../src/vocabulary.js'

describe('vocabulary', () => {
  it('says "line" by default', () => {
    const vocabulary = createVocabulary('line')
    expect(vocabulary.idField).to.equal('lineId')
    expect(vocabulary.incomingWebhookPath('7')).to.equal('/webhooks/lineId/7')
    expect(vocabulary.incomingWebhookPaths).to.deep.equal([
      '/webhooks/lineId/:lineId',
      '/webhooks/line/:lineId',
    ])
  })

  it('says the product word in output, and takes both words in input', () => {
    const vocabulary = createVocabulary('Burner')
    expect(vocabulary.idField).to.equal('burnerId')
    expect(vocabulary.incomingWebhookPath('7')).to.equal('/webhooks/burnerId/7')
    expect(vocabulary.incomingWebhookPaths).to.deep.equal([
      '/webhooks/burnerId/:lineId',
      '/webhooks/burner/:lineId',
      '/webhooks/lineId/:lineId',
      '/webhooks/line/:lineId',
    ])
  })

  it('has the words of OAuth, in snake_case as RFC 6749 has its own', () => {
    for (const word of ['line', 'burner']) {
      const vocabulary = createVocabulary(word)
      expect(vocabulary.idParameter).to.equal(`${word}_id`)
      expect(vocabulary.connectedField).to.equal(`connected_${word}s`)
      expect(vocabulary.scope('lines:read')).to.equal(`${word}s:read`)
      expect(vocabulary.scope('messages:write')).to.equal('messages:write')
      expect(vocabulary.canonicalScope(`${word}s:read`)).to.equal('lines:read')
      expect(vocabulary.canonicalScope('lines:read')).to.equal('lines:read')
      expect(vocabulary.canonicalScope('burnersx:read')).to.equal('burnersx:read')
    }
  })

  describe('a path of the API', () => {
    const paths: [canonical: string, spelled: string][] = [
      ['/v1/lines', '/v1/burners'],
      ['/v1/lines/:lineId', '/v1/burners/:lineId'],
      ['/v1/lines/:lineId/connection/test-event', '/v1/burners/:lineId/connection/test-event'],
      ['/webhooks/line/:lineId', '/webhooks/burner/:lineId'],
      ['/webhooks/lineId/:lineId', '/webhooks/burnerId/:lineId'],
    ]

    for (const [canonical, spelled] of paths) {
      it(`is taken as ${spelled} and as ${canonical}`, () => {
        expect(createVocabulary('burner').paths(canonical)).to.deep.equal([spelled, canonical])
        expect(createVocabulary('line').paths(canonical)).to.deep.equal([canonical])
      })
    }

    it('without the word has one spelling', () => {
      for (const path of ['/v1/messages/:messageId', '/v1/outlines', '/v1/linear/:id', '/v1/:lines']) {
        expect(createVocabulary('burner').paths(path)).to.deep.equal([path])
      }
    })

    it('is shown in the product word only, with the name of the id', () => {
      const vocabulary = createVocabulary('burner')
      expect(vocabulary.path('/v1/lines/{lineId}/limits')).to.equal('/v1/burners/{burnerId}/limits')
      expect(vocabulary.path('/v1/messages/{messageId}')).to.equal('/v1/messages/{messageId}')
      expect(createVocabulary('line').path('/v1/lines/{lineId}')).to.equal('/v1/lines/{lineId}')
    })
  })

  describe("the field with a line's id", () => {
    const vocabulary = createVocabulary('burner')

    it('is read in both words', () => {
      expect(vocabulary.canonicalFields({ burnerId: '7', text: 'Hi' })).to.deep.equal({
        lineId: '7',
        text: 'Hi',
      })
      expect(vocabulary.canonicalFields({ lineId: '7', text: 'Hi' })).to.deep.equal({
        lineId: '7',
        text: 'Hi',
      })
      expect(vocabulary.canonicalFields({ text: 'Hi' })).to.deep.equal({ text: 'Hi' })
      expect(createVocabulary('line').canonicalFields({ lineId: '7' })).to.deep.equal({ lineId: '7' })
    })

    it('is refused when it comes in both', () => {
      expect(() => vocabulary.canonicalFields({ burnerId: '7', lineId: '7' })).to.throw(
        UserError,
        'burnerId and lineId are the same field. Give only one of them',
      )
    })

    it('is nothing in the word of somebody else', () => {
      expect(createVocabulary('line').canonicalFields({ burnerId: '7' })).to.deep.equal({ burnerId: '7' })
    })
  })
})
