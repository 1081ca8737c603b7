import { verifySignature } from '@vonage/jwt'
import { expect } from 'chai'
import { startJudged } from '../both-sides.js'
import { startVonage } from '../stand-ins/vonage.js'

describe("Vonage's stand-in", () => {
  it("signs so that Vonage's own package takes it, with the right secret only", async () => {
    const judged = await startJudged()
    const standIn = await startVonage({ messageCallbackUrl: `${judged.url}/inbound` })
    try {
      const { signatureSecret = '' } = standIn.credentials
      for (const forgery of [undefined, 'wrong-secret'] as const) {
        await standIn.receive([{ from: '+13125550199', text: 'Grüße' }], forgery)
        const token = String(judged.last().headers.authorization).replace(/^Bearer /, '')
        expect(verifySignature(token, signatureSecret)).to.equal(forgery === undefined)
      }
    } finally {
      await standIn.close()
      await judged.close()
    }
  })
})
