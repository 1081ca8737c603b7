import { expect } from 'chai'
import { ahead, ANNA, BEN, queueMessage, receiveNew } from '../../../../domain/fixtures.js'
import { forEachTest } from '../../../../helpers/suite.js'
import { describeConsole, wordsAt, wordsOf } from './line-page.js'

describeConsole('opt-outs and pauses in the console', ({ context, openLine }) => {
  const line = forEachTest(() => openLine())

  const stop = () => receiveNew(context, line, { content: { type: 'inboundText', text: 'STOP' } })
  const pause = () =>
    context.db('line_peers').insert({
      line_id: line.lineId,
      number: BEN,
      paused_until: ahead(context, '5 minutes'),
    })

  it('are listed on the line’s page, which says that only the person can undo it', async () => {
    const none = await line.words('/send')
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
    await context.db('line_peers').insert(rows)
    const words = await line.words('/send')
    expect(words.match(/\+1500556\d{4} since/g)).to.have.length(50)
    expect(words).to.include(`Get the full list from the API at /v1/lines/${line.lineId}/opt-outs`)
  })

  it('stand on the pages of the number’s messages, both ways', async () => {
    const sent = await queueMessage(context, line)
    expect(await wordsAt(line.browser, `/console/messages/${sent}`)).not.to.include('opted out of')
    for (const id of [sent, await stop()]) {
      expect(await wordsAt(line.browser, `/console/messages/${id}`)).to.match(
        /\+15005550101 opted out of this line \(STOP\) on .* Only the person can undo this/,
      )
    }
    await pause()
    const paused = await queueMessage(context, line, { to_number: BEN })
    expect(await wordsAt(line.browser, `/console/messages/${paused}`))
      .to.match(/Sending to \+15005550102 is paused until .* wait until then/)
      .and.not.include('opted out of')
    await context.db('line_peers').update({ paused_until: new Date() })
    expect(await wordsAt(line.browser, `/console/messages/${paused}`)).not.to.include('is paused')
  })

  it('show where the service’s own answer came from', async () => {
    await stop()
    const answer = await context
      .db('messages')
      .where({ source: 'service', line_id: line.lineId })
      .first<{ id: string }>('id')
    expect(await wordsAt(line.browser, `/console/messages/${answer.id}`)).to.include(
      'Accepted as an automatic reply to STOP, START or HELP',
    )
  })
})
