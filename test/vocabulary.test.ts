import { expect } from 'chai'
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
})
