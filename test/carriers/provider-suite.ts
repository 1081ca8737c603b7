import { expect } from 'chai'
import { freePort } from '../../dev/services/free-port.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
} from '../../src/carriers/carrier.js'
import { CARRIER_KINDS } from '../../src/carriers/registry.js'
import type { CarrierAccount } from '../../src/database/carriers/carrier-accounts.js'
import { listCallbackUrls, type CallbackUrl } from '../../src/domain/carriers/callback-urls.js'
import { addCarrierAccount, listAccountOverviews } from '../../src/domain/carriers/carrier-accounts.js'
import { importNumbers, setUpNumbers } from '../../src/domain/carriers/accounts/numbers.js'
import { pollPhones, viewPhones, type PhoneView } from '../../src/domain/carriers/accounts/phones.js'
import { testCarrierAccount } from '../../src/domain/carriers/accounts/carrier-test.js'
import { changeCarrierAccount } from '../../src/domain/carriers/accounts/change.js'
import { listUnclearCallbacks } from '../../src/domain/carriers/unclear-callbacks.js'
import type { Context } from '../../src/domain/context.js'
import { fetchMedia } from '../../src/domain/media/fetch.js'
import { changeConnection } from '../../src/domain/lines/connections.js'
import { saveContact } from '../../src/domain/lines/contacts.js'
import { newId } from '../../src/ids.js'
import { changeRows, messageRow, queueMessage, sendWhenDue } from '../domain/fixtures.js'
import { MEDIA } from '../domain/media-samples.js'
import { carrierOf } from '../helpers/carrier.js'
import { createTestContext } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { failure } from '../helpers/failure.js'
import { serveApp, type TestWeb } from '../helpers/web/web.js'
import { anyMessage, pictureAt } from './conformance.js'
import { onHang } from './stand-ins/server.js'
import type { CallbackAnswer, Forgery, StandIn, Treatment } from './stand-ins/stand-in.js'

/** A provider: its kind, its stand-in, and where it differs from what most do. */
export interface ProviderRow<Provider extends StandIn = StandIn> {
  kind: string
  /** What is special in how it is set up, for a provider with several rows. */
  variant?: string
  start(): Promise<Provider>
  /** What a person enters from the provider's dashboard. */
  settings(standIn: Provider): Record<string, unknown>
  /** A credential that the provider refuses. */
  wrongSettings: Record<string, unknown>
  /** Which of our callbacks gets what it brings. */
  callbacks: { message: string; receipt: string }
  /** What a person adds to our URL when entering it at the provider. */
  enter?(url: string): string
  /** It brings messages with GET, which not every kind takes. */
  callsWithGet?: boolean
  /** It answers no id: ours is the id of a message. */
  givesIds?: boolean
  /** The code that a report of a failure has, and the one that means that the recipient has opted out, if there is one. */
  codes: { failed: string; optedOut?: string }
  /** Treatments with another outcome than `OUTCOMES` has, or that the provider does not know. */
  outcomes?: Partial<Record<Treatment, Outcome | 'not there'>>
  /** Forgeries that nobody can make: it signs no time, or no body. */
  cannotForge?: readonly Forgery[]
  /** How many messages it brings in one request, where these are more than fit into 64 KiB. */
  atOnce?: number
  /** Senders that are no phone numbers, that the stand-in knows besides: a name, a short code. */
  senders?: readonly string[]
  sendsMedia?: boolean
  receivesMedia?: boolean
  /** Media are in its requests themselves. */
  mediaInside?: 'beside the text' | 'in place of the text'
  /** What it says in sum, in its answer and its receipts, that a text of one segment costs; left out: nothing. */
  charge?: { price?: string; currency?: string; carrier_segment_count?: number }
  /** Its receipts never say `sent`. */
  reportsSent?: boolean
  /** Its API lists numbers, and sets them up. */
  listsNumbers?: boolean
  setsUpNumbers?: boolean
  /** Where it was told to call, if it keeps that elsewhere than what a person enters. */
  setUpUrl?(standIn: Provider): string | undefined
  /** It sends by a phone, of which its server has heard last at a moment; and then the phone calls. */
  phone?: {
    be(standIn: Provider, heardAt: Date): void
    asked: Partial<PhoneView>
    call(standIn: Provider): Promise<CallbackAnswer[]>
    called: Partial<PhoneView>
  }
  /** It tells of calls that nobody answers. */
  missCall?(standIn: Provider, from: string, calledAt: Date): Promise<CallbackAnswer[]>
  /** It tells, at this of our callbacks, of people who want no more messages of a sender. */
  optOut?: {
    callback: string
    tell(standIn: Provider, url: string, from: string, sender: string): Promise<CallbackAnswer[]>
  }
  /** Its API lists what came in, by the ids of the callbacks. */
  listsReceived?: boolean
}

type Outcome = 'rejected' | 'opted out' | 'unavailable' | 'throttled' | 'unknown'

const OUTCOMES: Record<Treatment, Outcome> = {
  'invalid-recipient': 'rejected',
  'opted-out': 'opted out',
  'no-credit': 'unavailable',
  'wrong-credentials': 'unavailable',
  throttled: 'throttled',
  'server-error': 'unknown',
  'in-2xx': 'rejected',
  'not-json': 'unknown',
  empty: 'unknown',
  hang: 'unknown',
  'close-before-answer': 'unknown',
}

const FORGERIES: readonly Forgery[] = ['unsigned', 'wrong-secret', 'other-body', 'old']
const SENDER = '+13125550199'
/** Nobody has written to them. */
const STRANGER = '+13125550188'
const PICTURE = 'https://media.example.com/a.png'

/** What every provider keeps to, through the app and Postgres, against a stand-in made of its documentation alone. */
export function describeProvider<Provider extends StandIn>(row: ProviderRow<Provider>): void {
  describe(`${row.kind} as a provider${row.variant === undefined ? '' : `, ${row.variant}`}`, () => {
    let standIn: Provider
    let context: Context
    let web: TestWeb
    let account: CarrierAccount
    let line: TestLine
    let urls: CallbackUrl[]
    /** The violations that a test has made on purpose. */
    let wantedCount = 0
    let sentCount = 0

    before(async () => {
      standIn = await row.start()
      const port = await freePort()
      context = await createTestContext({ PUBLIC_URL: `http://127.0.0.1:${port}` })
      web = await serveApp(context, { port })
      account = await addCarrierAccount(context, {
        name: 'main',
        kind: row.kind,
        settings: row.settings(standIn),
      })
      urls = await listCallbackUrls(context, account)
      line = await createLine(context, { carrierAccount: 'main', number: standIn.number })
      standIn.callbackUrls.message = urlOf(row.callbacks.message)
      standIn.callbackUrls.receipt = urlOf(row.callbacks.receipt)
    })
    after(async () => {
      await web.close()
      await context.close()
      await standIn.close()
    })
    afterEach('the provider found nothing wrong in any request', () => {
      expect(standIn.violations.slice(wantedCount)).to.deep.equal([])
    })

    /** As a person enters it at the provider. */
    const urlOf = (name: string) => {
      const url = urls.find((each) => each.name === name)?.url ?? ''
      return row.enter?.(url) ?? url
    }
    const rowsOf = (id: string) =>
      context
        .db('messages')
        .where({ line_id: line.lineId, direction: 'inbound' })
        .where({ carrier_message_id: id })
        .orderBy('id')
        .select<{ text: string | null; from_number: string; carrier_message_id: string }[]>(
          ...['text', 'from_number', 'carrier_message_id'],
        )
    const receivedPictures =
      row.mediaInside === undefined
        ? [PICTURE, 'https://media.example.com/b.png']
        : ['png', 'gif'].map((type) => `data:image/${type};base64,${MEDIA.picture[type]!.toString('base64')}`)
    const countInbound = async () =>
      (await context.db('messages').where({ line_id: line.lineId, direction: 'inbound' })).length
    const unclear = async () => (await listUnclearCallbacks(context, account)).map(({ why }) => why)
    const send = async (fields = {}, signal = AbortSignal.timeout(20_000)) => {
      const carrier = await carrierOf(context, 'main')
      return carrier.send(anyMessage({ fromNumber: standIn.number, toNumber: SENDER, ...fields }), signal)
    }
    const sendOne = async (): Promise<{ messageId: string; id: string; to: string }> => {
      // One number takes only so many texts a minute.
      sentCount += 1
      const to = `+1312555${String(1000 + sentCount)}`
      const messageId = await queueMessage(context, line, { to_number: to })
      expect((await sendWhenDue(context, messageId)).kind).to.equal('sent')
      const id = standIn.taken.at(-1)?.id ?? ''
      return { messageId, id, to }
    }

    describe('sends', () => {
      for (const [what, text] of [
        ['a text', 'Hello & <goodbye> + 100%'],
        ['a text in any alphabet', 'Grüße „an“ 世界 🙂\nnext line'],
      ] as const) {
        it(what, async () => {
          const { carrierMessageId } = await send({ text })
          const taken = standIn.taken.at(-1)
          expect(taken).to.include({ ...(row.givesIds === false ? {} : { id: carrierMessageId }), text })
          expect(digitsOf(taken?.to)).to.equal(digitsOf(SENDER))
          expect(digitsOf(taken?.from)).to.equal(digitsOf(standIn.number))
        })
      }

      for (const fromNumber of row.senders ?? []) {
        it(`from ${fromNumber}`, async () => {
          await send({ fromNumber })
          expect(standIn.taken.at(-1)?.from).to.equal(fromNumber)
        })
      }

      it('as many media in one request as its limits say, in order', async () => {
        const most = CARRIER_KINDS.get(row.kind)?.media?.count ?? 0
        expect(most > 0).to.equal(row.sendsMedia !== false)
        for (const count of new Set([1, most])) {
          if (most === 0) return
          const takenCount = standIn.taken.length
          const mediaUrls = Array.from({ length: count }, (_, n) => `${PICTURE}?n=${count - n}`)
          await send({ text: 'Look', media: mediaUrls.map(pictureAt) })
          expect(standIn.taken).to.have.length(takenCount + 1)
          expect(standIn.taken.at(-1)).to.deep.include({ text: 'Look', mediaUrls })
        }
      })

      it('a message of a line, and knows it by the id of the provider', async () => {
        const { messageId, id } = await sendOne()
        expect(await messageRow(context, messageId)).to.include({ status: 'sent' })
        const known = await context
          .db('carrier_message_ids')
          .where({ message_id: messageId })
          .pluck('carrier_message_id')
        expect(known).to.deep.equal([row.givesIds === false ? messageId : id])
      })
    })

    describe('is not taken', () => {
      for (const [treatment, usual] of Object.entries(OUTCOMES) as [Treatment, Outcome][]) {
        const outcome = row.outcomes?.[treatment] ?? usual
        if (outcome === 'not there') continue
        it(`${treatment}: ${outcome}, and says so without a number or a secret`, async () => {
          const count = standIn.taken.length
          standIn.treatNext(treatment)
          const patience = new AbortController()
          onHang(() => {
            patience.abort()
          })
          const error = await failure(send({}, patience.signal))
          expectOutcome(error, outcome)
          expect(error.message).to.not.include(SENDER.slice(1))
          for (const secret of Object.values(standIn.credentials))
            expect(error.message).to.not.include(secret)
          expect(standIn.taken).to.have.length(count)
        })
      }

      it('wrong credentials: in words, before anything is sent, and the right ones work', async () => {
        expect(await testCarrierAccount(context, account)).to.deep.equal({ ok: true })
        const wrong = await addCarrierAccount(context, {
          name: 'wrong',
          kind: row.kind,
          settings: { ...row.settings(standIn), ...row.wrongSettings },
        })
        const result = await testCarrierAccount(context, wrong)
        wantedCount = standIn.violations.length
        expect(result).to.have.property('fault').that.includes('rejected the credentials')
      })
    })

    describe('brings', () => {
      it('a text, once, however often it repeats it', async () => {
        const id = newId()
        const text = 'Zoë & "me" <x> 🙂'
        for (const time of ['first', 'again']) {
          const answers = await standIn.receive([{ id, from: SENDER, text }])
          // Some bring a reply twice: to the account's URL, and to that of the message.
          expect(new Set(answers.map(({ isSuccess }) => isSuccess)), time).to.deep.equal(new Set([true]))
        }
        expect(await rowsOf(id)).to.deep.equal([{ text, from_number: SENDER, carrier_message_id: id }])
      })

      it('several at once, each as a message of its own', async () => {
        const ids = Array.from({ length: row.atOnce ?? 3 }, () => newId())
        const textOf = (id: string) => `text ${id}`.padEnd(row.atOnce === undefined ? 0 : 1000, '.')
        const answers = await standIn.receive(ids.map((id) => ({ id, from: SENDER, text: textOf(id) })))
        for (const { isSuccess } of answers) expect(isSuccess).to.equal(true)
        for (const id of ids) {
          expect((await rowsOf(id)).map(({ text }) => text)).to.deep.equal([textOf(id)])
        }
      })

      it('what is for no line is kept for operators, and the others come in all the same', async () => {
        const [lost, id] = [newId(), newId()]
        const answers = await standIn.receive([
          { id: lost, from: SENDER, to: '+13125550111', text: 'lost' },
          { id, from: SENDER, text: 'found' },
        ])
        for (const { isSuccess } of answers) expect(isSuccess).to.equal(true)
        expect(await rowsOf(id)).to.have.length(1)
        expect((await unclear()).join()).to.include('No line of main has this number')
      })

      it('media, all in one message and each with an event of its own, once', async () => {
        if (row.receivesMedia === false) return
        const id = newId()
        const urls = receivedPictures
        const hasText = row.mediaInside !== 'in place of the text'
        for (const time of ['first', 'again']) {
          const [answer] = await standIn.receive([{ id, from: SENDER, text: 'Look', mediaUrls: urls }])
          expect(answer?.isSuccess, time).to.equal(true)
        }
        const [message, ...others] = await rowsOf(id)
        expect(others).to.deep.equal([])
        expect(message?.text).to.equal(hasText ? 'Look' : null)
        const ofMessage = await context.db('messages').where({ carrier_message_id: id }).pluck<string[]>('id')
        const of = { message_id: ofMessage[0] }
        const sources = await context.db('media').where(of).orderBy('id').pluck('source_url')
        expect(sources).to.have.members(urls)
        expect(await context.db('events').where(of).orderBy('id').pluck('type')).to.deep.equal([
          ...[...(hasText ? ['inboundText'] : []), 'inboundMedia', 'inboundMedia'],
        ])
        if (row.mediaInside === undefined) return
        for (const mediaId of await context.db('media').where(of).pluck<string[]>('id'))
          expect((await fetchMedia(context, mediaId)).kind).to.equal('stored')
        expect(await context.db('media').where(of).pluck('source_url'), 'kept once').to.deep.equal(['', ''])
      })
    })

    it('lists what came in, by the ids that its callbacks have', async () => {
      if (row.listsReceived !== true) return
      const since = new Date(Date.now() - 60_000)
      const [id, text] = [newId(), 'listed 🙂']
      await standIn.receive([{ id, from: SENDER, text }])
      await standIn.receive([{ from: SENDER, to: '+13125550111', text: 'of another number' }])
      const carrier = await carrierOf(context, 'main')
      const listed = []
      for await (const batch of carrier.listReceived?.([line.number], since, AbortSignal.timeout(20_000)) ??
        [])
        listed.push(...batch)
      const times = listed.map(({ receivedAt }) => receivedAt.getTime())
      expect(times).to.deep.equal(times.toSorted((one, other) => one - other))
      const found = await listed.find((each) => each.id === id)?.read(AbortSignal.timeout(20_000))
      const content = { type: 'inboundText', text }
      expect(found).to.deep.equal({ fromNumber: SENDER, toNumber: line.number, content })
      const read = await Promise.all(listed.map((each) => each.read(AbortSignal.timeout(20_000))))
      expect(new Set(read.map((each) => each?.toNumber))).to.deep.equal(new Set([line.number]))
    })

    describe('reports', () => {
      const statusOf = async (id: string) => (await messageRow(context, id)).status

      it('that a message is sent, then that it has arrived', async () => {
        const { messageId, id } = await sendOne()
        if (row.reportsSent !== false) await expectTaken(standIn.report(id, 'sent'))
        expect(await statusOf(messageId)).to.equal('sent')
        for (const time of ['first', 'again']) {
          await expectTaken(standIn.report(id, 'delivered'), time)
          expect(await statusOf(messageId)).to.equal('delivered')
        }
        const nothing = { price: null, currency: null, carrier_segment_count: null }
        expect(await messageRow(context, messageId)).to.include({ ...nothing, ...row.charge })
      })

      it('that it failed, with the code', async () => {
        const { messageId, id } = await sendOne()
        await expectTaken(standIn.report(id, 'failed', row.codes.failed))
        const failed = await messageRow(context, messageId)
        expect(failed).to.include({ status: 'failed', carrier_code: row.codes.failed })
        expect(failed.error).to.match(/\w{3}/)
      })

      it('that the recipient has opted out', async () => {
        const { optedOut } = row.codes
        if (optedOut === undefined) return
        const { messageId, id, to } = await sendOne()
        await expectTaken(standIn.report(id, 'failed', optedOut))
        expect(await statusOf(messageId)).to.equal('failed')
        const peers = context.db('line_peers').where({ line_id: line.lineId, number: to })
        expect(await peers.whereNotNull('opted_out_at')).to.have.length(1)
      })
    })

    it('tells of a missed call, once, those who asked for it', async () => {
      if (row.missCall === undefined) return
      const called = await createLine(context, {
        ...{ carrierAccount: 'main', number: STRANGER, outgoingUrl: 'http://127.0.0.1:9/' },
      })
      // The stand-in has one number: it is this line's for the moment.
      const numberOf = (lineId: string, number: string) =>
        changeRows(context, 'lines', { id: lineId }, { number })
      await numberOf(line.lineId, '+13125550177')
      await numberOf(called.lineId, standIn.number)
      const told = () =>
        context
          .db('deliveries as d')
          .join('events as e', 'e.id', 'd.event_id')
          .where('d.line_id', called.lineId)
          .select('e.type', 'e.payload', 'e.from_number', 'e.to_number')
      const calledAt = new Date(Date.now() - 2000)
      await expectTaken(row.missCall(standIn, SENDER, calledAt))
      expect(await told()).to.deep.equal([])

      await changeConnection(context, called.userId, called.lineId, { optInEvents: ['missedCall'] })
      for (const time of ['first', 'again']) await expectTaken(row.missCall(standIn, SENDER, calledAt), time)
      const event = { type: 'missedCall', payload: calledAt.toISOString() }
      expect(await told()).to.deep.equal([{ ...event, from_number: SENDER, to_number: standIn.number }])
      await saveContact(context, called.userId, STRANGER, { blocked: true })
      await expectTaken(row.missCall(standIn, STRANGER, new Date()))
      expect(await told()).to.have.length(1)
      await numberOf(called.lineId, STRANGER)
      await numberOf(line.lineId, line.number)
    })

    it('tells of an opt-out, which is recorded once, and only for a line of the account', async () => {
      if (row.optOut === undefined) return
      const name = 'Talking'
      const told = await createLine(context, {
        ...{ carrierAccount: 'main', number: name, outgoingUrl: 'http://127.0.0.1:9/' },
      })
      await changeConnection(context, told.userId, told.lineId, { optInEvents: ['optOut'] })
      const url = urlOf(row.optOut.callback)
      for (const time of ['first', 'again'])
        await expectTaken(row.optOut.tell(standIn, url, SENDER, name), time)
      const ofLine = { line_id: told.lineId }
      const events = await context.db('events').where(ofLine).select('type', 'payload', 'from_number')
      expect(events).to.deep.equal([{ type: 'optOut', payload: 'optedOut', from_number: SENDER }])
      const peers = await context.db('line_peers').where(ofLine).whereNotNull('opted_out_at').pluck('number')
      expect(peers).to.deep.equal([SENDER])
      const elsewhere = await createLine(context, { number: 'Elsewhere' })
      for (const sender of ['Nobody', elsewhere.number]) {
        await expectTaken(row.optOut.tell(standIn, url, SENDER, sender), sender)
      }
      expect((await unclear()).join()).to.include('No line of main has this number')
      expect(await context.db('line_peers').where({ line_id: elsewhere.lineId })).to.deep.equal([])
    })

    it('says how the phone is, when it is asked and by itself', async () => {
      const { phone } = row
      if (phone === undefined) return
      const phones = async () =>
        (await listAccountOverviews(context)).flatMap((each) =>
          each.id === account.id ? viewPhones(each) : [],
        )
      expect(await phones()).to.deep.equal([])
      phone.be(standIn, new Date(Date.now() - 3_600_000))
      await pollPhones(context, AbortSignal.timeout(20_000))
      const [asked] = await phones()
      expect(asked).to.include(phone.asked)
      await expectTaken(phone.call(standIn))
      const [called, ...others] = await phones()
      expect(called).to.include({ id: asked?.id, ...phone.called })
      expect(others).to.deep.equal([])
    })

    describe('forged', () => {
      for (const forgery of FORGERIES.filter((each) => row.cannotForge?.includes(each) !== true)) {
        it(`${forgery}: refused, and nothing comes in`, async () => {
          const before = await countInbound()
          const kept = (await unclear()).length
          const { messageId, id } = await sendOne()
          const answers = [
            ...(await standIn.receive([{ from: SENDER, text: 'forged' }], forgery)),
            ...(await standIn.report(id, 'delivered', undefined, forgery)),
          ]
          for (const { status } of answers) expect(status).to.equal(403)
          expect(await countInbound()).to.equal(before)
          expect(await messageRow(context, messageId)).to.include({ status: 'sent' })
          expect(await unclear()).to.have.length(kept)
        })
      }

      it('without the secret in our URL, where one is: refused', async () => {
        const { message } = standIn.callbackUrls
        if (!new URL(message ?? '').searchParams.has('key')) return
        const before = await countInbound()
        for (const url of [message?.replace(/key=[^&]+&?/, ''), message?.replace(/key=..../, 'key=aaaa')]) {
          standIn.callbackUrls.message = url
          const [answer] = await standIn.receive([{ from: STRANGER, text: 'forged' }])
          expect(answer?.status).to.equal(403)
        }
        standIn.callbackUrls.message = message
        expect(await countInbound()).to.equal(before)
      })
    })

    describe('stays with its account', () => {
      it('what is signed for one is refused for another, and for another kind', async () => {
        const other = await addCarrierAccount(context, {
          name: 'other',
          kind: row.kind,
          settings: { ...row.settings(await strangerOf(row)) },
        })
        const before = await countInbound()
        for (const [url, status] of [
          [urlOf(row.callbacks.message).replace(account.id, other.id), 403],
          [urlOf(row.callbacks.message).replace(`/${row.kind}/`, '/http/'), 404],
          [urlOf(row.callbacks.message).replace(account.id, newId()), 404],
        ] as const) {
          standIn.callbackUrls.message = url
          const [answer] = await standIn.receive([{ from: STRANGER, text: 'elsewhere' }])
          expect(answer?.status).to.equal(status)
        }
        standIn.callbackUrls.message = urlOf(row.callbacks.message)
        expect(await countInbound()).to.equal(before)
      })
    })

    describe('is set up', () => {
      it('with the numbers that it lists', async () => {
        if (row.listsNumbers !== true) return
        const results = await importNumbers(context, account, { userId: line.userId, numbers: 'all' })
        expect(results).to.deep.equal([])
        const numbers = await (await carrierOf(context, 'main')).listNumbers?.(AbortSignal.timeout(20_000))
        expect(numbers?.map(({ number }) => number)).to.deep.equal([standIn.number])
      })

      it('and told by us where to call', async () => {
        if (row.setsUpNumbers !== true) return
        const { message } = standIn.callbackUrls
        delete standIn.callbackUrls.message
        expect(await setUpNumbers(context, account)).to.deep.equal([standIn.number])
        // Some have one URL for an account, and others a list of webhooks.
        expect([message, undefined]).to.include(row.setUpUrl?.(standIn) ?? standIn.callbackUrls.message)
        const [id, text] = [newId(), 'Said: "set up" \\ {} $text 🙂']
        await expectTaken(standIn.receive([{ id, from: STRANGER, text }]))
        expect((await rowsOf(id)).map((each) => each.text)).to.deep.equal([text])
        if (row.receivesMedia === false) return
        for (const caption of ['Look', '']) {
          const ofMedia = newId()
          const message = { id: ofMedia, from: STRANGER, text: caption, mediaUrls: receivedPictures }
          await expectTaken(standIn.receive([message]))
          expect((await rowsOf(ofMedia)).map((each) => each.text ?? '')).to.deep.equal([caption])
          const of = context.db('messages').where({ carrier_message_id: ofMedia }).select('id')
          const events = await context.db('events').whereIn('message_id', of).pluck('type')
          expect(events.filter((type) => type === 'inboundMedia')).to.have.length(receivedPictures.length)
        }
      })

      it('with new credentials from the next request on', async () => {
        await changeCarrierAccount(context, account, { settings: row.wrongSettings })
        expect(await failure(send())).to.be.instanceOf(CarrierUnavailable)
        wantedCount = standIn.violations.length
      })
    })
  })
}

function digitsOf(number: string | undefined): string {
  return (number ?? '').replace(/^(\+|00)/, '')
}

async function expectTaken(
  reporting: Promise<readonly { isSuccess: boolean }[]>,
  time?: string,
): Promise<void> {
  const answers = await reporting
  expect(answers, time).to.not.deep.equal([])
  for (const { isSuccess } of answers) expect(isSuccess, time).to.equal(true)
}

function expectOutcome(error: Error, outcome: Outcome): void {
  switch (outcome) {
    case 'rejected':
    case 'opted out':
      expect(error).to.be.instanceOf(CarrierRejected)
      expect(error).to.have.property('reason').that.is.not.empty
      expect(error).to.have.property('isOptedOut', outcome === 'opted out')
      return
    case 'unavailable':
      expect(error).to.be.instanceOf(CarrierUnavailable)
      return
    case 'throttled':
      expect(error).to.be.instanceOf(CarrierThrottled)
      expect(error).to.have.property('retryInMs').that.is.within(1, 3_600_000)
      return
    case 'unknown':
      expect(error).to.be.instanceOf(CarrierOutcomeUnknown)
  }
}

/** Another customer of the provider, with secrets of their own. */
async function strangerOf<Provider extends StandIn>(row: ProviderRow<Provider>): Promise<Provider> {
  const stranger = await row.start()
  await stranger.close()
  return stranger
}
