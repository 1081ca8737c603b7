import { expect } from 'chai'
import { deliveryRow, receiveForDelivery, receiveManyForDelivery } from '../../../domain/fixtures.js'
import { forEachTest } from '../../../helpers/suite.js'
import { describeConsole, wordsOf } from '../lines/line/line-page.js'
import { expectSentTo, expectFault } from '../support.js'
import { KINDS, openEndpoint } from './endpoint-page.js'
import { messageOfEvent } from '../../support.js'

describeConsole('health and held events on the page of an endpoint', (site) => {
  const { context } = site
  describe('are told, and', () => {
    const endpoint = forEachTest(() => openEndpoint(site))

    const words = async (query?: string) => wordsOf(await endpoint.page(query))
    const receive = () => receiveForDelivery(context, endpoint.line)
    const disable = (reason: 'gone' | 'failing') =>
      endpoint.set({ disabled_at: new Date(), disabled_reason: reason, failing_since: new Date() })

    it('say that it works, or since when and how often it has failed', async () => {
      expect(await words())
        .to.include('not called yet')
        .and.include('Nothing is waiting.')
        .and.include('Receives Up to 10 events at a time')
      await endpoint.set({ called_at: new Date() })
      expect(await words()).to.include('The last event was delivered.')
      await endpoint.set({
        failing_since: new Date('2026-01-02T03:04:05Z'),
        consecutive_failure_count: 7,
        last_failure: 'timeout',
      })
      expect(await words())
        .to.include('Health Failing since 2026-01-02 03:04:05 UTC : 7 failures in a row. Timed out.')
        .and.not.include('Enable again')
      await receive()
      expectSentTo(await endpoint.submit('try-now'), `${endpoint.path}?done=events-tried-now`)
    })

    it('explain why it was disabled, and enable it again', async () => {
      await disable('gone')
      expect(await words())
        .to.include('the server returned 410 Gone')
        .and.include('Enable again')
      await disable('failing')
      expect(await words()).to.include('no event succeeded for 5 days')
      expectSentTo(await endpoint.submit('enable'), `${endpoint.path}?done=endpoint-enabled`)
      expect(await words())
        .to.include('not called yet')
        .and.include('Health No event has been sent to this URL since it was enabled')
    })

    it('count waiting and held events', async () => {
      await receive()
      expect(await words()).to.include('1 event is waiting for an attempt.')
      await receive()
      const { id } = await receive()
      await context.db('deliveries').where({ id }).update({ status: 'held', last_failure: 'timeout' })
      expect(await words())
        .to.include('2 events are waiting for an attempt. 1 event is held.')
        .and.include('1 event 1 failed')
    })

    it('send held events once it is enabled, and not before', async () => {
      await disable('failing')
      const { id } = await receive()
      expect(await words()).to.include('To send them, enable the URL first.')
      const early = await endpoint.submit('send-held-events')
      expectFault(early, 409, 'The endpoint is disabled. Enable it first')
      await endpoint.submit('enable')
      expect(await words()).to.include('Send held events')
      expectSentTo(await endpoint.submit('send-held-events'), `${endpoint.path}?done=held-sent`)
      expect(await deliveryRow(context, id)).to.include({ status: 'pending', job_generation: 1 })
      expect(await words('?done=held-sent'))
        .to.include('Sending the held events.')
        .and.not.include('Send held events')
    })
  })

  describe('in the list', () => {
    const hold = async (kind: (typeof KINDS)[number]) => {
      const endpoint = await openEndpoint(site, kind)
      await endpoint.set({ disabled_at: new Date(), disabled_reason: 'failing' })
      return endpoint
    }

    it('shows each with its message and failure, including those that need their media copied first', async () => {
      for (const kind of KINDS.slice(0, 2)) {
        const { line, page } = await hold(kind)
        const { id, event_id: eventId } = await receiveForDelivery(context, line)
        const held = context.db('deliveries').where({ id })
        await held.clone().update({ last_failure: 'timeout' })
        const messageId = await messageOfEvent(context, eventId)
        const html = await page()
        expect(html).to.include(`href="/console/messages/${messageId}"`)
        expect(wordsOf(html))
          .to.include('+15005550101 Text Timed out.')
          .and.not.include('copy of their media')
        await held.clone().update({ last_failure: 'media_http_404' })
        expect(wordsOf(await page())).to.include(
          'with media that have not been copied are not sent from here',
        )
      }
    })

    it('has the newest twenty', async () => {
      const { line, page } = await hold(KINDS[0])
      await receiveManyForDelivery(context, line, 20)
      expect(await page()).not.to.include('are shown')
      await receiveForDelivery(context, line)
      const html = await page()
      expect(wordsOf(html)).to.include('Only the newest 20 are shown.')
      expect(html.match(/href="\/console\/messages\//g)).to.have.length(20)
    })

    it('shows the owner of an application only the number of other users’ events', async () => {
      const { line, page } = await hold(KINDS[2])
      await receiveForDelivery(context, line)
      expect(wordsOf(await page()))
        .to.include('1 event is held.')
        .and.not.include('+15005550101')
        .and.not.include('Hi there')
    })
  })
})
