import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifySignature } from '@vonage/jwt'
import { expect } from 'chai'
import { startVonage } from '../stand-ins/vonage.js'

describe("Vonage's stand-in", () => {
  it("signs so that Vonage's own package takes it, with the right secret only", async () => {
    const tokens: string[] = []
    const receiver = createServer((request, response) => {
      tokens.push(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
      request.resume()
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const standIn = await startVonage({ messageCallbackUrl: `http://127.0.0.1:${port}/inbound` })
    try {
      for (const forgery of [undefined, 'wrong-secret'] as const) {
        await standIn.receive([{ from: '+13125550199', text: 'Grüße' }], forgery)
      }
      const { signatureSecret = '' } = standIn.credentials
      expect(tokens.map((token) => verifySignature(token, signatureSecret))).to.deep.equal([true, false])
    } finally {
      await standIn.close()
      await new Promise((resolve) => receiver.close(resolve))
    }
  })
})
