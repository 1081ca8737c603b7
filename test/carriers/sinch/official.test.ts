import { SmsCallbackWebhooks, SmsService } from '@sinch/sdk-core'
import { expect } from 'chai'
import { sinch } from '../../../src/carriers/sinch/sinch.js'
import { expectSameReading, isTakenByUs, startJudged, type Judged } from '../both-sides.js'
import { startSinch } from '../stand-ins/sinch.js'
import type { StandIn } from '../stand-ins/stand-in.js'

describe("Sinch's own package", () => {
  let standIn: StandIn
  let judged: Judged

  beforeEach(async () => {
    judged = await startJudged()
    standIn = await startSinch({ messageCallbackUrl: judged.url })
  })
  afterEach(async () => {
    await standIn.close()
    await judged.close()
  })

  const ourSettings = () => sinch.settings.cast({ ...standIn.credentials, apiUrl: standIn.url, region: 'us' })

  function isTheirs(): boolean {
    const { body, headers } = judged.last()
    const theirs = new SmsCallbackWebhooks(standIn.credentials.webhookSecret)
    return theirs.validateAuthenticationHeader(headers, String(body), '', 'POST')
  }

  it('takes what the stand-in signs, and so do we', async () => {
    await standIn.receive([{ from: '+13125550199', text: 'Grüße 🙂' }])
    expect(isTheirs()).to.equal(true)
    expect(isTakenByUs(sinch, ourSettings(), judged.last())).to.equal(true)
  })

  for (const forgery of ['unsigned', 'wrong-secret', 'other-body', 'old'] as const) {
    it(`refuses what is forged, and so do we: ${forgery}`, async () => {
      await standIn.receive([{ from: '+13125550199', text: 'forged' }], forgery)
      // It leaves it to the receiver how old a signature may be.
      expect(isTheirs()).to.equal(forgery === 'old')
      expect(isTakenByUs(sinch, ourSettings(), judged.last())).to.equal(false)
    })
  }

  it('sends what the stand-in reads the same way as what we send', async () => {
    const { servicePlanId = '', apiToken = '' } = standIn.credentials
    const theirs = new SmsService({ servicePlanId, apiToken, smsHostname: standIn.url })
    await expectSameReading(standIn, sinch, ourSettings(), async ({ from, to, text }) => {
      const { id } = await theirs.batches.sendTextMessage({
        sendSMSRequestBody: { from, to: [to], body: text },
      })
      return id
    })
  })
})
