import { expect } from 'chai'
import { newId } from '../../../src/ids.js'
import { queueMessage, queueMessages, receiveManyForDelivery } from '../../domain/fixtures.js'
import { describeWith } from '../../helpers/suite.js'
import type { Answer } from '../../helpers/web/web.js'
import { createOwner, expectAnswer, ownerForEachTest, serveApi } from './support.js'

const PUBLIC_URL = 'https://linehook.example'

const serve = () => serveApi({ PUBLIC_URL })

describeWith('the pages of a list', serve, (api) => {
  const { line, client } = ownerForEachTest(api, { outgoingUrl: 'http://127.0.0.1:9/' })

  const idsOf = (answer: Answer) => (expectAnswer(answer) as { id: string }[]).map(({ id }) => id)

  /** undefined: this was the last page. */
  function nextOf({ headers }: Answer): string | undefined {
    const link = headers.get('link')
    if (link === null) return undefined
    const [, url = ''] = /^<([^>]+)>; rel="next"$/.exec(link) ?? []
    expect(url.startsWith(`${PUBLIC_URL}/v1/`), link).to.be.true
    return url.slice(PUBLIC_URL.length)
  }

  async function readAll(path: string): Promise<string[][]> {
    const pages: string[][] = []
    for (let next: string | undefined = path; next !== undefined;) {
      const answer = await client.get(next)
      pages.push(idsOf(answer))
      next = nextOf(answer)
    }
    return pages
  }

  it('follow one another through the Link header, each entry once', async () => {
    const ids = (await queueMessages(api.context, line, 7)).reverse()
    expect(await readAll('/v1/messages?limit=3')).to.deep.equal([
      ids.slice(0, 3),
      ids.slice(3, 6),
      ids.slice(6),
    ])
    expect(await readAll('/v1/messages?limit=7')).to.deep.equal([ids])
    expect(await readAll('/v1/messages')).to.deep.equal([ids])
    const deliveries = (await receiveManyForDelivery(api.context, line, 3)).map(({ id }) => id).reverse()
    expect(await readAll('/v1/deliveries?limit=2')).to.deep.equal([
      deliveries.slice(0, 2),
      deliveries.slice(2),
    ])
  })

  it('have 50 entries by default and 100 at most', async () => {
    await queueMessages(api.context, line, 101)
    const first = await client.get('/v1/messages')
    expect(idsOf(first)).to.have.length(50)
    expect(nextOf(first)).to.include('before=')
    expect((await readAll('/v1/messages?limit=100')).map(({ length }) => length)).to.deep.equal([100, 1])
  })

  it('keep the filter', async () => {
    const wanted = (await queueMessages(api.context, line, 3, { status: 'failed' })).reverse()
    await queueMessages(api.context, line, 3)
    const number = encodeURIComponent('+15005550101')
    const query = `limit=2&status=failed&lineId=${line.lineId}&number=${number}&from=2020-01-01T00:00:00%2B01:00`
    expect((await readAll(`/v1/messages?${query}`)).flat()).to.deep.equal(wanted)
  })

  it('may begin before an unknown ID, or another user’s', async () => {
    const [id = ''] = await queueMessages(api.context, line, 1)
    const other = await createOwner(api)
    const later = await queueMessage(api.context, other.line)
    expect(idsOf(await client.get(`/v1/messages?before=${newId()}`))).to.deep.equal([id])
    expect(idsOf(await client.get(`/v1/messages?before=${later}`))).to.deep.equal([id])
    expect(await readAll(`/v1/messages?before=${id}`)).to.deep.equal([[]])
  })
})
