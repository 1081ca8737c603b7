import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { sealHeaders } from '../../../../src/domain/endpoints/deliveries/custom-headers.js'
import { laidOut } from '../../../../src/web/console/messages/message/attempt.js'
import { addEndpoint, deleteEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { changeConnection } from '../../../../src/domain/lines/connections.js'
import { recordListenerAttempts } from '../../../../src/domain/endpoints/listener-attempts.js'
import { receiveReceipt } from '../../../../src/domain/messages/receipts.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { keepUpload } from '../../../../src/domain/media/uploads.js'
import { newId } from '../../../../src/ids.js'
import {
  attemptRows,
  changeRows,
  countRows,
  deliverWhenDue,
  deliveryRow,
  mediaAt,
  messageRow,
  queueMessage,
  receiveForDelivery,
  receiveNew,
  type DeliveryRow,
} from '../../../domain/fixtures.js'
import { MEDIA } from '../../../domain/media-samples.js'
import { createLine } from '../../../helpers/factories.js'
import { copyMedia, mediaRow } from '../../../helpers/media.js'
import { forEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { listen, livePathOf } from './activity/listen.js'
import { redirectOf, describeConsole, textOf, wordsOf } from '../lines/line/line-page.js'
import { faultOf, expectSentTo, expectFault } from '../support.js'
import { messageOfEvent } from '../../support.js'

const execFileAsync = promisify(execFile)

/** As a browser's field writes it. */
const start = Date.now()
const inLocal = (ms: number) => new Date(start + 8 * 3_600_000 + ms).toISOString().slice(0, 16)

const pathOf = (id: string) => `/console/messages/${id}`

describeConsole("a message's page", (site) => {
  const { context, receiver, openLine } = site
  const line = forEachTest(() => openLine({ name: 'Office', outgoingUrl: receiver.url }))

  beforeEach(() => {
    receiver.answerWith((response) => response.end('ok'))
  })

  const page = async (id: string) => (await line.browser.get(pathOf(id))).text
  const words = async (id: string) => wordsOf(await page(id))
  const keyOf = (html: string) => /name="key" value="([\w-]+)"/.exec(html)?.[1] ?? ''

  const receiveMedia = (url: string) => receiveNew(context, line, { content: mediaAt(url) })

  it('says when a scheduled message is sent, and has forms that change the time and cancel it', async () => {
    const asked = await line.browser.submit(`/console/lines/${line.lineId}/messages`, {
      ...{ to: '+15005550101', text: 'Later', key: newId() },
      ...{ sendAt: inLocal(3_600_000), zone: 'Asia/Kolkata' },
    })
    const [, location] = redirectOf(asked)
    const path = String(location).replace(/\?.*/, '')
    const id = path.split('/').at(-1) ?? ''
    const { due_at: dueAt } = await messageRow(context, id)
    // The clock of Kolkata is ahead of UTC by five and a half hours.
    expect(dueAt.getTime() + 5.5 * 3_600_000).to.equal(Date.parse(`${inLocal(3_600_000)}Z`))
    expect(await words(id)).to.match(/Will be sent on 20.* Reschedule .* Cancel message/)

    const wrong = await line.browser.submit(`${path}/reschedule`, {
      sendAt: inLocal(40 * 86_400_000),
      zone: 'UTC',
    })
    expect(faultOf(wrong)).to.match(/at most 30 days ahead/)
    expect(wrong.text).to.include(inLocal(40 * 86_400_000))
    await line.browser.submit(`${path}/reschedule`, { sendAt: inLocal(86_400_000), zone: 'UTC' })
    const row = await messageRow(context, id)
    expect(row.due_at.toISOString()).to.equal(`${inLocal(86_400_000)}:00.000Z`)

    await changeRows(context, 'messages', id, { client_ref: '<b>7', expires_at: new Date(4e12) })
    expect(await words(id)).to.match(/Client reference: <b>7 Expires if not sent by 2096/)
    await line.browser.submit(`${path}/cancel`, {})
    expect(await words(id)).to.match(/Cancelled before it was sent\./)
  })

  describe('of one that the line sends', () => {
    it('tells its whole way', async () => {
      const id = await queueMessage(context, line)
      await sendMessage(context, id)
      expect(await words(id))
        .to.match(/To \+15005550101 sent Hello/)
        .and.match(/From Office \+1555\d+ Type Text Message ID [\w-]+ Copy Length 1 segment, GSM-7/)
        .and.match(/Accepted via incoming webhook [\d-]+ [\d:]+ UTC Waited \d+ ms for its turn/)
        .and.match(
          /Handed to the carrier [\d-]+ [\d:]+ UTC Account: simulator\. 1 attempt\. Carrier message ID: [\w-]+/,
        )
        .and.match(/Sent: the carrier accepted it [\d-]+ [\d:]+ UTC No receipt yet/)
      const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
      await receiveReceipt(context, {
        carrierAccount: 'simulator',
        carrierMessageId: carrierMessageId!,
        status: 'delivered',
      })
      expect(await words(id)).to.match(/Receipt: delivered [\d-]+ [\d:]+ UTC/)
      expect(await page(id))
        .not.to.include('>Retry<')
        .and.not.to.include('Resend')
    })

    it('shows what it is waiting for, and until when', async () => {
      const { db } = context
      const first = await queueMessage(context, line)
      expect(await words(first)).to.match(
        /Waiting Waiting for its turn\. No rate limit applies\. Next check: .* UTC/,
      )
      const second = await queueMessage(context, line)
      expect(await words(second)).to.match(
        /Waiting for an earlier message to the same number , because they are sent in/,
      )
      expect(await page(second)).to.include(`href="${pathOf(first)}"`)

      // One was handed over just now, and the other is alone then.
      await db('messages').where({ id: first }).update({ status: 'sent', handed_over_at: db.fn.now() })
      const limitTo = (limits: Record<string, number>) =>
        db('lines').where({ id: line.lineId }).update(limits)
      await limitTo({ messages_per_number_per_minute: 1 })
      expect(await words(second)).to.match(
        /Rate limit: the line sends at most 1 a minute to one number\. .* at .* UTC/,
      )
      await limitTo({ messages_per_number_per_minute: 5, messages_per_minute: 1 })
      expect(await words(second)).to.match(
        /Rate limit: the line sends at most 1 a minute\. The next one is sent at .* UTC/,
      )
      await limitTo({ messages_per_minute: 30 })
      await db('carrier_accounts').where({ name: 'simulator' }).update({ messages_per_second: 0.5 })
      expect(await words(second)).to.include(
        'Waiting for its turn: the carrier account accepts 0.5 a second.',
      )
      await db('carrier_accounts').where({ name: 'simulator' }).update({ messages_per_second: null })
      const throttled = await queueMessage(context, line, { error: 'throttled', attempt_count: 2 })
      expect(await words(throttled)).to.match(/The carrier is rate limiting.* 2 attempts so far\./)
    })

    it('says that the carrier has it just now', async () => {
      const claimed = { status: 'sending', attempt_count: 1, claimed_at: new Date() }
      const id = await queueMessage(context, line, claimed)
      expect(await words(id)).to.include("1 attempt; waiting for the carrier's response.")
    })

    it('does not say that it waited when it never got there', async () => {
      const id = await queueMessage(context, line, { status: 'failed', error: 'opted_out' })
      const said = await words(id)
      // The reason and Resend are the first thing there.
      expect(said).to.match(/failed This person opted out \(STOP\).* Resend .*Timeline .* Failed/)
      expect(said).not.to.match(/Waited|Handed to the carrier/)
      expect(await page(id)).to.match(/<li class="bad"><div><strong>Failed/)
    })

    for (const [what, fields, said] of [
      [
        'that it failed',
        { status: 'failed', error: 'unreachable', carrier_code: '30003' },
        /The carrier rejected it: unreachable Carrier code: 30003 .* Receipt: failed [\d-]+ [\d:]+ UTC/,
      ],
      [
        'that the carrier has it',
        { status: 'sent' },
        /Receipt: in transit, delivery not confirmed yet [\d-]+ [\d:]+ UTC/,
      ],
    ] as const) {
      it(`shows when a receipt reported ${what}`, async () => {
        const reported = { ...fields, sent_at: new Date(), receipt_at: new Date() }
        expect(await words(await queueMessage(context, line, reported))).to.match(said)
      })
    }

    it('says which routes came before, and why they did not take it', async () => {
      const passed = { one: 'account_paused', two: 'account_avoided', three: 'throttled' }
      const sent = { status: 'sent', claimed_at: new Date(), carrier: 'four', passed_over: passed }
      const said = await words(await queueMessage(context, line, sent))
      expect(said).to.include('one was skipped because it was paused.')
      expect(said).to.include('two was skipped because it had just failed.')
      expect(said).to.include('three did not accept it. The carrier is rate limiting.')
    })

    it('explains the carrier’s code, and what to do', async () => {
      await context.db('carrier_accounts').insert({ id: newId(), name: 'twilio-main', kind: 'twilio' })
      const failed = { status: 'failed', error: 'Message filtered', carrier: 'twilio-main' }
      const known = await queueMessage(context, line, { ...failed, carrier_code: '30032' })
      expect(await words(known)).to.match(
        /filtered This sender or text is not registered.* Only the operator of this service can register it\. Carrier code: 30032/,
      )
      const unknown = await queueMessage(context, line, { ...failed, carrier_code: '39999' })
      expect(await words(unknown)).to.match(/rejected it: Message filtered Carrier code: 39999/)
    })
  })

  it('shows the other events about it, and resends them', async () => {
    const { userId, lineId } = line
    await changeConnection(context, userId, lineId, { optInEvents: ['messageStatus'] })
    const id = await queueMessage(context, line)
    await sendMessage(context, id)
    expect(await words(id)).to.match(/Other events Message status .* Delivery to http.* pending Waiting/)
    const { id: deliveryId } = await context.db('deliveries').where({ line_id: lineId }).first<DeliveryRow>()
    await context.db('deliveries').where({ id: deliveryId }).update({ status: 'exhausted' })
    const sent = await line.browser.submit(`${pathOf(id)}/deliveries/${deliveryId}/send-again`)
    expectSentTo(sent, `${pathOf(id)}?done=tried-now`)
    expect(await deliveryRow(context, deliveryId)).to.include({ status: 'pending' })
  })

  describe('sends again', () => {
    it('a failed message, once per page however often the button is pressed', async () => {
      const id = await queueMessage(context, line, { status: 'failed', error: 'expired' })
      const key = keyOf(await page(id))
      const count = await countRows(context, 'messages')
      const submit = () => line.browser.submit(`${pathOf(id)}/send-again`, { key })
      const [status, location] = redirectOf(await submit())
      expect(status).to.equal(303)
      expect(location).to.match(/^\/console\/messages\/[\w-]{36}\?done=sent-again$/)
      expectSentTo(await submit(), location ?? '')
      expect(await countRows(context, 'messages')).to.equal(count + 1)
      const { text } = await line.browser.get(location!)
      expect(wordsOf(text)).to.match(/Accepted from this console .* Resends an earlier message ?\./)
      expect(text).to.include(`href="${pathOf(id)}"`)
    })

    it('an unknown message, after a warning', async () => {
      const id = await queueMessage(context, line, { status: 'unknown', error: 'worker_lost' })
      const html = await page(id)
      expect(wordsOf(html)).to.include('Unknown: the carrier never confirmed whether it was sent')
      expect(wordsOf(html)).to.include('If you resend it, it may arrive twice.')
      const answer = await line.browser.submit(`${pathOf(id)}/send-again`, { key: keyOf(html) })
      expect(answer.status).to.equal(303)
    })

    it('no finished message or message in progress, and says so at the top', async () => {
      const id = await queueMessage(context, line)
      const answer = await line.browser.submit(`${pathOf(id)}/send-again`, { key: newId() })
      expectFault(answer, 409, 'Only a failed or unknown message can be resent')
    })

    it('keeps its key after a refusal', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      await context.db('lines').where({ id: line.lineId }).update({ status: 'disabled' })
      const key = newId()
      const answer = await line.browser.submit(`${pathOf(id)}/send-again`, { key })
      expect(answer.status).to.equal(409)
      expect(wordsOf(answer.text)).to.include('This line is disabled')
      expect(keyOf(answer.text)).to.equal(key)
      expect(livePathOf(answer.text)).to.equal(undefined)
    })
  })

  describe('of one that the line received', () => {
    let delivery: DeliveryRow
    let id: string

    beforeEach(async () => {
      delivery = await receiveForDelivery(context, line)
      id = await messageOfEvent(context, delivery.event_id)
    })

    const attempt = () => deliverWhenDue(context, delivery.id, delivery.endpoint_id)

    it('shows its event and its first delivery', async () => {
      expect(await words(id))
        .to.match(/From \+15005550101 received/)
        .and.match(/To Office \+1555\d+ Type Text/)
        .and.match(/Received from the carrier [\d-]+ [\d:]+ UTC/)
        .and.include(`inboundText , webhook-id ${delivery.event_id}`)
        .and.include(`Delivery to ${receiver.url} pending Waiting for its first attempt.`)
        .and.not.include('in the queue')
      await attempt()
      expect(await words(id)).to.match(
        /delivered [\d-]+ [\d:]+ UTC The server accepted the event\. Attempt 1 .* · \d+ ms · status 200 ok/,
      )
    })

    it('shows each attempt: time, duration, response, and when the next one is due', async () => {
      const attack = '<script>alert(1)</script>'
      receiver.answerWith((response) => {
        response.statusCode = 500
        response.end(attack)
      })
      await attempt()
      await attempt()
      const html = await page(id)
      expect(html)
        .to.include('<pre tabindex="0" dir="auto">&lt;script>alert(1)&lt;/script></pre>')
        .and.not.to.include(attack)
      expect(wordsOf(html))
        .to.match(
          /Attempt 1 .* status 500 The server returned HTTP 500\. .* Next attempt: .* UTC Request Response Timing Attempt 2/,
        )
        .and.match(/pending Waiting for its next attempt\. Next attempt: [\d-]+ [\d:]+ UTC/)
      expect(html).not.to.include('>Retry<').and.not.to.include('Resend')
    })

    it('opens an attempt: its request as sent, its response, and its timing', async () => {
      const { db, secrets } = context
      const endpoint = db('endpoints').where({ id: delivery.endpoint_id })
      await endpoint.clone().update({
        url: `${receiver.url}?q={1..3}&it's=1`,
        headers_sealed: sealHeaders(secrets, delivery.endpoint_id, { 'X-Api-Key': 'very secret' }),
      })
      await db('events').where({ id: delivery.event_id }).update({ payload: '@it\'s $HOME\n`x` "q"' })
      receiver.requests.length = 0
      receiver.answerWith((response) => response.writeHead(418, { 'X-Pot': '<b>' }).end('short'))
      await attempt()
      await attempt()
      const [, { id: attemptId } = { id: '' }] = await attemptRows(context, delivery.id)
      const opened = (view: string) => page(`${id}?attempt=${attemptId}&view=${view}`)

      expect(await page(id)).to.include(
        `href="${pathOf(id)}?attempt=${attemptId}&amp;view=request#attempt-${attemptId}"`,
      )
      const request = await opened('request')
      const { headers, body } = receiver.requests[1]!
      expect(wordsOf(request))
        .to.include(`webhook-signature: ${String(headers['webhook-signature'])}`)
        .and.include(JSON.stringify(JSON.parse(body), null, 2).replace(/\s+/g, ' '))
        .and.include('X-Api-Key: •••')
        .and.include('It matches the signature that was sent.')
      expect(request).not.to.include('very secret')
      for (const asItWas of ['{"n": 1}', '{"n":12345678901234567890}', '{"n":', 'n=1'])
        expect(laidOut(asItWas)).to.equal(asItWas)
      // The page that keeps itself up to date keeps the attempt open.
      expect(livePathOf(request)).to.include(`&attempt=${attemptId}&view=request`)

      const [, command = ''] = /<code id="curl-[^>]*>([^<]*)</.exec(request) ?? []
      const shell = `curl() { for each; do printf '%s\\0' "$each"; done; }\n${textOf(command)}`
      const { stdout } = await execFileAsync('/bin/sh', ['-c', shell])
      const args = stdout.split('\0')
      expect(args.slice(0, 2)).to.deep.equal(['--globoff', `${receiver.url}?q={1..3}&it's=1`])
      expect(args).to.include(`webhook-id: ${delivery.event_id}`)
      expect(args.slice(-3)).to.deep.equal(['--data-raw', body, ''])

      await endpoint.clone().update({ policy: { shape: 'ifttt' } })
      expect(wordsOf(await opened('request'))).to.include('so the body that was sent may differ.')
      expect(wordsOf(await opened('response'))).to.match(/Status 418 I'm a Teapot .*x-pot: <b>.* short/)
      await db('delivery_attempts').where({ id: attemptId }).update({ body_failure: 'reset' })
      expect(wordsOf(await opened('response'))).to.include('The response body is incomplete (reset).')
      expect(wordsOf(await opened('timing'))).to.match(
        /DNS none.* Connection .* First byte \d+ ms Total \d+ ms/,
      )
      const { id: foreignId } = await receiveForDelivery(
        context,
        await createLine(context, { outgoingUrl: receiver.url }),
      )
      await deliverWhenDue(context, foreignId, (await deliveryRow(context, foreignId)).endpoint_id)
      const [{ id: foreign } = { id: '' }] = await attemptRows(context, foreignId)
      expect(await page(`${id}?attempt=${foreign}`)).not.to.include('aria-current="page">Request')
    })

    it('collapses similar attempts, and makes the next one now on request', async () => {
      receiver.answerWith((response) => response.writeHead(404).end())
      const action = `${pathOf(id)}/deliveries/${delivery.id}/try-now`
      for (let n = 1; n <= 3; n += 1) {
        await attempt()
        expect(await page(id)).to.include(`action="${action}"`)
        expectSentTo(await line.browser.submit(action), `${pathOf(id)}?done=tried-now`)
      }
      receiver.answerWith((response) => response.end())
      expect(wordsOf(await page(id))).to.match(
        /3 × status 404 attempts 1 to 3, next [\d-]+ [\d:]+ UTC Attempt 1/,
      )
      await attempt()
      const html = await page(id)
      expect(wordsOf(html)).to.include('Attempt 4').and.not.include('Retry now')
      const refused = await line.browser.submit(action)
      expectFault(
        refused,
        409,
        'This delivery is not waiting for a retry. An attempt is running, or there are no attempts left',
      )
    })

    it('explains what blocks the next attempt', async () => {
      const { db } = context
      const endpoint = db('endpoints').where({ id: delivery.endpoint_id })
      const row = db('deliveries').where({ id: delivery.id })
      const next = await receiveForDelivery(context, line)
      const leaseUntil = db.raw(`now() + interval '1 minute'`)
      await db('deliveries')
        .where({ id: next.id })
        .update({ status: 'delivering', lease_until: leaseUntil, is_ordered: true })
      await endpoint.clone().update({ policy: { requestsAtOnce: 1 }, failing_since: db.fn.now() })
      expect(await words(id))
        .to.match(/The endpoint already has one request in progress, which is its limit\./)
        .and.match(/This URL has been failing since [\d-]+ [\d:]+ UTC/)
        .and.not.include('in order')
      // The other one came before it.
      await row.clone().update({ is_ordered: true, created_at: new Date(Date.now() + 60_000) })
      const earlier = await messageOfEvent(context, next.event_id)
      expect(await page(id)).to.include(`<a href="${pathOf(earlier)}">an earlier event from this number</a>`)
      await endpoint.clone().update({ disabled_at: db.fn.now(), disabled_reason: 'gone' })
      await row.clone().update({ status: 'held' })
      expect(await words(id)).to.match(
        /The URL has been disabled since .* UTC : the server returned 410 Gone/,
      )
      await row.clone().update({ status: 'exhausted' })
    })

    it('shows the responses of listeners', async () => {
      const at = { eventId: delivery.event_id, durationMs: 12, responseStatus: 204, failure: null }
      await recordListenerAttempts(context, line.lineId, [
        { ...at, startedAt: new Date() },
        { ...at, startedAt: new Date(0), responseStatus: null, failure: 'timeout' },
      ])
      expect(await words(id)).to.match(
        /Received by a listener .* 1970-\S+ [\d:]+ UTC · 12 ms · no response: timeout .* · 12 ms · status 204/,
      )
    })

    it('resends a delivery that has used up its attempts', async () => {
      await context.db('deliveries').where({ id: delivery.id }).update({ status: 'exhausted' })
      const action = `${pathOf(id)}/deliveries/${delivery.id}/send-again`
      expect(await page(id)).to.include(`action="${action}"`)
      expectSentTo(await line.browser.submit(action), `${pathOf(id)}?done=tried-now`)
      expect(await deliveryRow(context, delivery.id)).to.include({
        status: 'pending',
        job_generation: 1,
      })
      const again = await line.browser.submit(action)
      expectFault(again, 409, /^This delivery is still in progress/)
    })

    it('has no button to resend it to an endpoint that is deleted, and says so', async () => {
      const { endpoint } = await addEndpoint(
        context,
        line.userId,
        { lineId: line.lineId },
        { url: receiver.url },
      )
      const endpointId = endpoint.id
      const failed = { status: 'exhausted', last_failure: 'http_500', endpoint_id: endpointId }
      await context.db('deliveries').where({ id: delivery.id }).update(failed)
      const action = `${pathOf(id)}/deliveries/${delivery.id}/send-again`
      expect(await page(id)).to.include(`action="${action}"`)
      await deleteEndpoint(context, { userId: line.userId }, endpointId)
      expect(await page(id)).not.to.include(`action="${action}"`)
      expect(await words(id)).to.include(
        'All attempts failed. The application was disconnected from the line, or the endpoint was deleted.',
      )
      expectFault(await line.browser.submit(action), 409, /^The endpoint was deleted/)
      expect(await deliveryRow(context, delivery.id)).to.include(failed)
    })

    it('says that nobody received it if there was no URL', async () => {
      const lonely = await createLine(context, { userId: line.userId })
      expect(await words(await receiveNew(context, lonely))).to.include(
        'When it arrived, the line had no outgoing webhook URL',
      )
    })

    it('shows our copy of its media, its way to it, and its facts', async () => {
      const url = await keepUpload(context, 'picture', MEDIA.picture.png!)
      const id = await receiveMedia(url)
      expect(await words(id))
        .to.include('Copying…')
        .and.include('the event waits until this is done')
      await copyMedia(context, id)
      const { token } = await mediaRow(context, id)
      expect(await page(id))
        .to.include(`<img src="/media/${token}"`)
        .and.not.include(url)
      expect(await words(id))
        .to.include('image/png · 70 bytes · 1 × 1')
        .and.include('Media copied')
    })

    it('explains why there is no copy, and copies again on "Retry"', async () => {
      const id = await receiveMedia(`${context.config.publicUrl}/uploads/${'x'.repeat(43)}`)
      await copyMedia(context, id)
      expect(await words(id))
        .to.include('The media could not be copied')
        .and.include('Held: its media could not be copied')
      const delivery = await context.db('deliveries').where({ status: 'held' }).first<{ id: string }>('id')
      await line.browser.submit(`${pathOf(id)}/deliveries/${delivery.id}/send-again`)
      expect(await words(id)).to.include('Copying… The last attempt failed')
    })

    it('makes the next attempt to copy its media on "Retry now"', async () => {
      const id = await receiveMedia('http://127.0.0.1:9/picture.png')
      expect(await page(id)).not.to.include(`action="${pathOf(id)}/try-now"`)
      expectFault(await line.browser.submit(`${pathOf(id)}/try-now`), 409, /^This message is not waiting/)
      await copyMedia(context, id)
      const before = await mediaRow(context, id)
      expect(before).to.include({ status: 'pending', failure: 'media_connect' })
      expect(await words(id)).to.match(/Next attempt: \d{4}-\S+ \S+ UTC Retry now/)
      const answer = await line.browser.submit(`${pathOf(id)}/try-now`)
      expectSentTo(answer, `${pathOf(id)}?done=tried-now`)
      const after = await mediaRow(context, id)
      expect(after.due_at).to.be.below(before.due_at)
      expect(after.job_generation).to.equal(before.job_generation + 1)
    })
  })

  it('links to the media URL that a sent message was given, if it is on the web', async () => {
    const show = async (url: string) => page(await queueMessage(context, line, { media_urls: [url] }))
    const url = 'https://media.example.com/1.jpg'
    expect(await show(url)).to.include(`<a href="${url}" rel="noopener noreferrer" target="_blank">`)
    expect(await show('javascript:alert(1)')).to.include('<code>javascript:alert(1)</code>')
  })

  it('keeps itself up to date, with the same key in its form', async () => {
    const id = await queueMessage(context, line, { to_number: '+15005550001' })
    const path = livePathOf(await page(id))!
    const heard = await listen(site, line, path)
    await until('the message waits', () => heard.text.includes('Waiting for its turn'))
    await sendMessage(context, id)
    await until('it has failed', () => heard.text.includes('The carrier rejected it'))
    expect(keyOf(heard.text)).to.equal(new URLSearchParams(path.split('?')[1]).get('key'))
    await heard.close()
  })

  it('shows no deliveries of another user’s message', async () => {
    const stranger = await createLine(context, { outgoingUrl: receiver.url })
    const { id: deliveryId } = await receiveForDelivery(context, stranger)
    await context.db('deliveries').where({ id: deliveryId }).update({ status: 'exhausted' })
    const own = await queueMessage(context, line)
    const answer = await line.browser.submit(`${pathOf(own)}/deliveries/${deliveryId}/send-again`)
    expect(answer.status).to.equal(404)
    expect(await deliveryRow(context, deliveryId)).to.include({ status: 'exhausted' })
  })
})
