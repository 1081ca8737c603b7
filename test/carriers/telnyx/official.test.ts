import { expect } from 'chai'
import Telnyx from 'telnyx'
import { telnyx } from '../../../src/carriers/telnyx/telnyx.js'
import { expectSameReading, isTakenByUs, startJudged, type Judged } from '../both-sides.js'
import { startTelnyx, type TelnyxStandIn } from '../stand-ins/telnyx.js'

describe("Telnyx's own package", () => {
  let standIn: TelnyxStandIn
  let judged: Judged
  let theirs: Telnyx

  beforeEach(async () => {
    judged = await startJudged()
    standIn = await startTelnyx({ messageCallbackUrl: judged.url })
    const { apiKey = '', publicKey = '' } = standIn.credentials
    theirs = new Telnyx({ apiKey, publicKey, baseURL: `${standIn.url}/v2` })
  })
  afterEach(async () => {
    await standIn.close()
    await judged.close()
  })

  const ourSettings = () => telnyx.settings.cast({ ...standIn.credentials, apiUrl: `${standIn.url}/v2` })

  async function isTheirs(): Promise<boolean> {
    const { body, headers } = judged.last()
    try {
      await theirs.webhooks.unwrap(String(body), { headers: headers as Record<string, string> })
      return true
    } catch {
      return false
    }
  }

  it('takes what the stand-in signs, and so do we', async () => {
    await standIn.receive([{ from: '+13125550199', text: 'Grüße 🙂' }])
    expect(await isTheirs()).to.equal(true)
    expect(isTakenByUs(telnyx, ourSettings(), judged.last())).to.equal(true)
  })

  for (const forgery of ['unsigned', 'wrong-secret', 'other-body', 'old'] as const) {
    it(`refuses what is forged, and so do we: ${forgery}`, async () => {
      await standIn.receive([{ from: '+13125550199', text: 'forged' }], forgery)
      expect(await isTheirs()).to.equal(false)
      expect(isTakenByUs(telnyx, ourSettings(), judged.last())).to.equal(false)
    })
  }

  it('sends what the stand-in reads the same way as what we send', async () => {
    await expectSameReading(standIn, telnyx, ourSettings(), async (message) => {
      const { data } = await theirs.messages.send(message)
      return data?.id
    })
  })
})
