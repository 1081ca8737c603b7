import { expect } from 'chai'
import { messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { expectAccepted, expectRefused, newNumber } from '../support.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

interface Shown {
  url: string
  token: string
}

const serve = () => serveApi({ PUBLIC_URL: 'https://linehook.example' })

describeWith('/v1/lines/{lineId}/incoming-webhook', serve, (api) => {
  let line: TestLine
  let client: Client
  let path: string

  beforeEach(async () => {
    const owner = await createOwner(api)
    ;({ line, client } = owner)
    path = `${owner.path}/incoming-webhook`
  })

  const send = (url: string) =>
    api.web.post(url.replace('https://linehook.example', ''), messageBody({ toNumber: newNumber() }))
  const connection = async () => expectAnswer(await client.get(`/v1/lines/${line.lineId}/connection`))

  it('GET shows the URL with its token', async () => {
    const shown = expectAnswer(await client.get(path)) as Shown
    expect(shown).to.deep.equal({ url: `https://linehook.example${line.webhookPath}`, token: line.token })
    expectAccepted(await send(shown.url))
  })

  it('DELETE deletes it at any time, and it can then be created again', async () => {
    expect(expectAnswer(await client.delete(path))).to.deep.include({ enabled: true, incomingWebhook: null })
    expectRefused(await send(line.webhookPath), 404, "URL doesn't exist")
    expectProblem(await client.get(path), 404, /no incoming webhook. Create one/)
    expectProblem(await client.delete(path), 404, /no incoming webhook/)
    expectProblem(await client.post(`${path}/regenerate`), 404, /no incoming webhook/)

    const created = expectAnswer(await client.post(path)) as Shown
    expect(created.token).not.to.equal(line.token)
    expectAccepted(await send(created.url))
    expect(expectAnswer(await client.get(path))).to.deep.equal(created)
  })

  it('POST answers 409 if one exists, and while the connection is disabled', async () => {
    expectProblem(await client.post(path), 409, /Regenerate/)
    await client.delete(`/v1/lines/${line.lineId}/connection`)
    expectProblem(await client.post(path), 409, /connection is off/)
  })

  describe('/regenerate', () => {
    it('returns a new token and revokes the old one immediately', async () => {
      for (const body of [undefined, '', {}, { overlapSeconds: 0 }]) {
        const before = expectAnswer(await client.get(path)) as Shown
        const after = expectAnswer(await client.post(`${path}/regenerate`, body)) as Shown
        expect(after.token).not.to.equal(before.token)
        expectRefused(await send(before.url), 403, 'URL is invalid')
        expectAccepted(await send(after.url))
      }
    })

    it('keeps the old token valid for the requested time', async () => {
      const before = expectAnswer(await client.get(path)) as Shown
      const after = expectAnswer(await client.post(`${path}/regenerate`, { overlapSeconds: 3600 })) as Shown
      expectAccepted(await send(before.url))
      expectAccepted(await send(after.url))
      const again = await client.post(`${path}/regenerate`, { overlapSeconds: 3600 })
      expectProblem(again, 409, /^overlapSeconds: .* end both immediately \(0\)$/)
      expectAccepted(await send(before.url))
      const { incomingWebhook } = (await connection()) as { incomingWebhook: { previousTokenUntil: string } }
      expect(Date.parse(incomingWebhook.previousTokenUntil) - Date.now()).to.be.closeTo(3_600_000, 60_000)
    })

    for (const overlapSeconds of [86_401, '60', null, [60]]) {
      it(`refuses overlapSeconds ${JSON.stringify(overlapSeconds)}, and keeps the token`, async () => {
        expectProblem(await client.post(`${path}/regenerate`, { overlapSeconds }), 400, /overlapSeconds/)
        expectAccepted(await send(line.webhookPath))
      })
    }
  })
})
