import { expect } from 'chai'
import { getEndpoint } from '../../../../src/domain/endpoints/get-endpoint.js'
import { pauseEndpoint } from '../../../../src/domain/operating/pauses.js'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import {
  COMMAND_LINE,
  pauseAllSending,
  pauseCarrierAccount,
  pauseLine,
  resumeAllSending,
  resumeCarrierAccount,
} from '../../../../src/domain/operating/pauses.js'
import { ahead, changeRows, queueMessage, receiveForDelivery } from '../../../domain/fixtures.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectSentTo, signedInForEachTest } from '../support.js'
import { messageOfEvent } from '../../support.js'

describeWeb('pauses in the console', ({ context, web }) => {
  const { person: operator, browser: operating } = signedInForEachTest(context, web, 'operator')
  const { person: owner, browser: owning } = signedInForEachTest(context, web)
  const line = lineForEachTest(context, () => ({
    ...{ userId: owner.id, outgoingUrl: 'http://127.0.0.1:9/events' },
  }))
  let path: string

  beforeEach(() => {
    path = `/console/lines/${line.lineId}`
  })

  const own = () => ({ id: line.lineId, userId: line.userId })

  describe('a line', () => {
    it('is paused and resumed by its owner, and shown with its state', async () => {
      const id = await queueMessage(context, line)
      await changeRows(context, 'messages', id, { error: 'throttled', not_before: ahead(context, '1 hour') })
      expect(await wordsAt(owning, `${path}/send`)).to.include('1 message is waiting to be retried.')
      expectSentTo(
        await owning.submit(`${path}/sending/try-now`),
        `${path}/send?done=messages-tried-now#sending`,
      )
      expect(await wordsAt(owning, `${path}/send`)).not.to.include('waiting to be retried')
      expect(await wordsAt(owning, `${path}/send`)).to.include('Messages go out as soon as rate limits allow')
      expectSentTo(await owning.submit(`${path}/sending/pause`), `${path}/send?done=sending-paused#sending`)
      expect(await wordsAt(owning, `${path}/send`)).to.match(/Paused since [^.]* by you\./)
      for (const at of [path, '/console']) {
        expect((await owning.get(at)).text).to.include('<span class="badge waiting paused">paused</span>')
      }
      expectSentTo(await owning.submit(`${path}/sending/resume`), `${path}/send?done=sending-resumed#sending`)
      expect(await wordsAt(owning, `${path}/send`)).not.to.include('sending paused')
    })

    it('paused by an operator has no button for its owner, who sees why', async () => {
      const user = `/console/users/${line.userId}`
      expectSentTo(
        await operating.submit(`${user}/lines/${line.lineId}/pause`),
        `${user}?done=sending-paused`,
      )
      const page = await owning.get(`${path}/send`)
      expect(wordsOf(page.text)).to.match(/by an operator of this service.* Only an operator can resume it/)
      expect(page.text).not.to.include(`${path}/sending/resume`)
      const refused = await owning.submit(`${path}/sending/resume`)
      expectFault(refused, 403, /^An operator paused this/)
      expect(await wordsAt(operating, user)).to.include('sending paused')
      expectSentTo(
        await operating.submit(`${user}/lines/${line.lineId}/resume`),
        `${user}?done=sending-resumed`,
      )
      expect(await wordsAt(owning, `${path}/send`)).not.to.include('sending paused')
    })
  })

  describe('an endpoint', () => {
    it('of a line is paused and resumed by its owner', async () => {
      const form = `/console/endpoints/${line.endpointId}`
      expectSentTo(await owning.submit(`${form}/pause`), `${form}?done=events-paused`)
      expect(await wordsAt(owning, `/console/endpoints/${line.endpointId}`)).to.match(
        /Events have been paused since [^.]* by you\./,
      )
      const { id, event_id: eventId } = await receiveForDelivery(context, line)
      const messageId = await messageOfEvent(context, eventId)
      const message = await wordsAt(owning, `/console/messages/${messageId}`)
      expect(message, id)
        .to.match(/Events to this URL have been paused since/)
        .and.not.to.include('Next attempt')
      expectSentTo(await owning.submit(`${form}/resume`), `${form}?done=events-resumed`)
      expect(await wordsAt(owning, `/console/endpoints/${line.endpointId}`)).not.to.include(
        'Events are paused',
      )
    })

    it('of a line that an operator paused has no button for its owner', async () => {
      await pauseEndpoint(
        context,
        COMMAND_LINE,
        await getEndpoint(context, { userId: line.userId }, line.endpointId),
      )
      const page = await owning.get(`/console/endpoints/${line.endpointId}`)
      expect(wordsOf(page.text)).to.include('Only operators can resume them.')
      expect(page.text).not.to.include(`/console/endpoints/${line.endpointId}/resume`)
      const refused = await owning.submit(`/console/endpoints/${line.endpointId}/resume`)
      expectFault(refused, 403, /^An operator paused this/)
    })
  })

  it('a carrier account is paused and resumed by operators', async () => {
    const { id } = await getCarrierAccount(context, 'simulator')
    const account = `/console/carriers/${id}`
    expectSentTo(await operating.submit(`${account}/sending/pause`), `${account}?done=sending-paused#sending`)
    try {
      expect(await wordsAt(operating, account)).to.match(/Paused since .* messages on its lines/)
      expect(await wordsAt(operating, '/console/carriers')).to.include('sending paused')
      const listed = await wordsAt(operating, '/console/sending')
      expect(listed).to.match(new RegExp(`Carrier account simulator .* ${operator.email}`))
      expect(listed).to.match(/(No messages are|1 message is|\d+ messages are) waiting\./)
    } finally {
      expectSentTo(
        await operating.submit(`${account}/sending/resume`),
        `${account}?done=sending-resumed#sending`,
      )
    }
    expect(await wordsAt(operating, account)).not.to.include('Paused since')
  })

  it('operators pause and resume all sending, and only they see it on each page', async () => {
    const pages = ['/console', '/console/activity', '/console/users', '/console/settings', '/simulator']
    const notice = new RegExp(`All sending has been paused since [^.]* by ${operator.email}`)
    for (const page of pages) expect(await wordsAt(operating, page), page).not.to.match(notice)
    expectSentTo(await operating.submit('/console/sending/pause'), '/console/sending?done=sending-paused')
    try {
      for (const page of [...pages, '/console/sending']) {
        expect(await wordsAt(operating, page), page).to.match(notice)
      }
      expect(await wordsAt(owning, '/console')).not.to.include('All sending')
    } finally {
      expectSentTo(await operating.submit('/console/sending/resume'), '/console/sending?done=sending-resumed')
    }
    for (const page of pages) expect(await wordsAt(operating, page), page).not.to.match(notice)
  })

  it('a waiting message names the pauses it waits for, since when and by whom', async () => {
    const id = await queueMessage(context, line)
    const answer = await queueMessage(context, line, { source: 'service' })
    const account = await getCarrierAccount(context, 'simulator')
    await pauseLine(context, { userId: line.userId, isOperator: false }, own())
    await pauseCarrierAccount(context, COMMAND_LINE, account)
    await pauseAllSending(context, COMMAND_LINE)
    try {
      const page = await wordsAt(owning, `/console/messages/${id}`)
      expect(page)
        .to.match(/Sending from this line has been paused since [^.]* by you\./)
        .and.to.match(/carrier account has been paused since [^.]* by an operator of this service\./)
        .and.to.match(/All sending has been paused since [^.]* by an operator of this service\./)
      expect(page).not.to.include('Rate limit:')
      expect(await wordsAt(owning, `/console/messages/${answer}`)).not.to.include('has been paused')
    } finally {
      await resumeAllSending(context, COMMAND_LINE)
      await resumeCarrierAccount(context, COMMAND_LINE, account)
    }
  })
})
