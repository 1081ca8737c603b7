import { expect } from 'chai'
import { describeWith } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

describeWith('/v1/segments', serveApi, (api) => {
  let client: Client

  before(async () => {
    ;({ client } = await createOwner(api))
  })

  const count = async (text: string) => expectAnswer(await client.post('/v1/segments', { text }))

  for (const [what, text, expected] of [
    ['a short text', 'Hello', { encoding: 'GSM-7', segmentCount: 1, unitCount: 5, characterCount: 5 }],
    [
      'two units for a character',
      '€',
      { encoding: 'GSM-7', segmentCount: 1, unitCount: 2, characterCount: 1 },
    ],
    [
      'one too many',
      'x'.repeat(161),
      { encoding: 'GSM-7', segmentCount: 2, unitCount: 161, characterCount: 161 },
    ],
    ['a smiley', '😀'.repeat(36), { encoding: 'UCS-2', segmentCount: 2, unitCount: 72, characterCount: 36 }],
    ['nothing', '', { encoding: 'GSM-7', segmentCount: 1, unitCount: 0, characterCount: 0 }],
  ] as const) {
    it(`counts those of ${what}`, async () => {
      expect(await count(text)).to.deep.equal(expected)
    })
  }

  it('refuses what could not be sent either', async () => {
    expectProblem(await client.post('/v1/segments', { text: 'x'.repeat(1601) }), 400, /^Text is too long$/)
    expectProblem(await client.post('/v1/segments', {}), 400, /^text is missing$/)
    expectProblem(await client.post('/v1/segments', { text: 5 }), 400, /^text must be text$/)
  })
})
