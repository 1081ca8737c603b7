import { expect } from 'chai'
import { receiveMessage } from '../../../../../src/domain/messages/receive.js'
import { ANNA, BEN, inboundText, queueMessage } from '../../../../domain/fixtures.js'
import { describeWith } from '../../../../helpers/suite.js'
import { startConsole, wordsOf, type OpenLine } from './line-page.js'

describeWith('opt-outs and pauses in the console', startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    line = await site.openLine()
  })

  const stop = () =>
    receiveMessage(site.context, inboundText(line, { content: { type: 'inboundText', text: 'STOP' } }))
  const pause = () =>
    site.context.db('line_peers').insert({
      line_id: line.lineId,
      number: BEN,
      paused_until: site.context.db.raw(`now() + interval '5 minutes'`),
    })
  const wordsAt = async (path: string) => wordsOf((await line.browser.get(path)).text)

  it('are listed on the line’s page, which says that only the person can undo it', async () => {
    const none = wordsOf(await line.page('/send'))
    expect(none).to.include('No opt-outs.').and.not.include('Paused')
    await stop()
    await pause()
    const html = await line.page('/send')
    expect(wordsOf(html))
      .to.match(/Only they can undo it, by texting START\. \+15005550101 since [\d-]+ /)
      .and.match(/Paused This looks like two machines .* \+15005550102 until [\d-]+ /)
    expect(html).to.include(`/conversations/${encodeURIComponent(ANNA)}`)
  })

  it('are fifty at most there; programs get all', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({
      line_id: line.lineId,
      number: `+1500556${String(n).padStart(4, '0')}`,
      opted_out_at: new Date(),
    }))
    await site.context.db('line_peers').insert(rows)
    const words = wordsOf(await line.page('/send'))
    expect(words.match(/\+1500556\d{4} since/g)).to.have.length(50)
    expect(words).to.include(`Get the full list from the API at /v1/lines/${line.lineId}/opt-outs`)
  })

  it('stand on the pages of the number’s messages, both ways', async () => {
    const sent = await queueMessage(site.context, line)
    expect(await wordsAt(`/console/messages/${sent}`)).not.to.include('opted out of')
    const outcome = await stop()
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    for (const id of [sent, outcome.messageId]) {
      expect(await wordsAt(`/console/messages/${id}`)).to.match(
        /\+15005550101 opted out of this line \(STOP\) on .* Only the person can undo this/,
      )
    }
    await pause()
    const paused = await queueMessage(site.context, line, { to_number: BEN })
    expect(await wordsAt(`/console/messages/${paused}`))
      .to.match(/Sending to \+15005550102 is paused until .* wait until then/)
      .and.not.include('opted out of')
    await site.context.db('line_peers').update({ paused_until: new Date() })
    expect(await wordsAt(`/console/messages/${paused}`)).not.to.include('is paused')
  })

  it('show where the service’s own answer came from', async () => {
    await stop()
    const answer = await site.context
      .db('messages')
      .where({ source: 'service', line_id: line.lineId })
      .first<{ id: string }>('id')
    expect(await wordsAt(`/console/messages/${answer.id}`)).to.include(
      'Accepted as an automatic reply to STOP, START or HELP',
    )
  })
})
