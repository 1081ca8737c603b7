import { BirdClient } from '@messagebird/sdk'
import { expect } from 'chai'
import { bird } from '../../../src/carriers/bird/bird.js'
import { isTakenByUs, startJudged, type Judged } from '../both-sides.js'
import { startBird } from '../stand-ins/bird.js'
import type { StandIn } from '../stand-ins/stand-in.js'

/** The secret before the last rotation. */
const FORMER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

/** Bird's own package says of the same requests what we say: so the signatures of the stand-in are Bird's. */
describe('what Bird signs', () => {
  let standIn: StandIn
  let judged: Judged

  before(async () => {
    judged = await startJudged()
    standIn = await startBird({
      messageCallbackUrl: `${judged.url}/events`,
      formerWebhookSecret: FORMER,
    })
  })
  after(async () => {
    await standIn.close()
    await judged.close()
  })

  const secretNow = () => standIn.credentials.webhookSecret ?? ''

  function isTheirs(secret: string): boolean {
    const client = new BirdClient({ apiKey: 'bk_us1_any' })
    const { body, headers } = judged.last()
    try {
      client.webhooks.unwrap(String(body), headers as Record<string, string>, { secret })
      return true
    } catch {
      return false
    }
  }

  function isOurs(signingSecret: string): boolean | undefined {
    const settings = { apiKey: 'bk_us1_any', signingSecret, category: 'service', apiUrl: '' } as const
    return isTakenByUs(bird, settings, judged.last())
  }

  it('is taken with the secret, and with the one before it after a rotation', async () => {
    await standIn.receive([{ from: '+13125550199', text: 'Grüße 🙂' }])
    for (const secret of [secretNow(), FORMER]) {
      expect(isTheirs(secret)).to.equal(true)
      expect(isOurs(secret)).to.equal(true)
    }
    const another = 'whsec_AAAAsBQIhrscChlQIMV+b5sSYspob7oD'
    expect(isTheirs(another)).to.equal(false)
    expect(isOurs(another)).to.equal(false)
  })

  for (const forgery of ['unsigned', 'wrong-secret', 'other-body', 'old'] as const) {
    it(`is refused when it is forged: ${forgery}`, async () => {
      await standIn.receive([{ from: '+13125550199', text: 'forged' }], forgery)
      expect(isTheirs(secretNow())).to.equal(false)
      expect(isOurs(secretNow())).to.equal(false)
    })
  }
})
