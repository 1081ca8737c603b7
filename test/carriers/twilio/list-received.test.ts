import { expect } from 'chai'
import { CarrierRefused } from '../../../src/carriers/carrier.js'
import type { ReceivedRecord } from '../../../src/carriers/records.js'
import { failure } from '../../helpers/failure.js'
import { openForEachTest } from '../../helpers/suite.js'
import { openTwilio } from './carrier.js'
import { ACCOUNT_SID, newSid, refuse } from './stand-in.js'

const LINE = '+15005550001'
const OTHER_LINE = '+15005550002'
const ANNA = '+15005550199'

const signal = () => new AbortController().signal
const ago = (minutes: number) => new Date(Math.floor(Date.now() / 1000) * 1000 - minutes * 60_000)

describe('what Twilio says that numbers received', () => {
  const opened = openForEachTest(openTwilio)
  afterEach(() => {
    expect(opened.standIn.faults).to.deep.equal([])
  })

  async function listed(since: Date, numbers = [LINE, OTHER_LINE]): Promise<ReceivedRecord[][]> {
    const batches: ReceivedRecord[][] = []
    for await (const batch of opened.carrier.listReceived?.(numbers, since, signal()) ?? [])
      batches.push([...batch])
    return batches
  }
  const all = async (since = ago(60)) => (await listed(since)).flat()

  it('texts and media, under the id of the callback and with their URLs', async () => {
    const [first, second] = [newSid('ME'), newSid('ME')]
    const at = ago(5)
    const message = opened.standIn.receive({
      from: ANNA,
      to: LINE,
      body: 'Look',
      media: [first, second],
      at,
    })
    const [record, ...others] = await all()
    expect(others).to.deep.equal([])
    expect(record?.receivedAt).to.deep.equal(at)
    expect(record?.id).to.equal(message.sid)
    const media = `${opened.standIn.url}/2010-04-01/Accounts/${ACCOUNT_SID}/Messages/${message.sid}/Media`
    expect(await record?.read(signal())).to.deep.equal({
      fromNumber: ANNA,
      toNumber: LINE,
      content: { type: 'inboundMedia', text: 'Look', urls: [`${media}/${first}`, `${media}/${second}`] },
    })
  })

  it('nothing in the place of media that are not there any more', async () => {
    opened.standIn.receive({ from: ANNA, to: LINE, num_media: '1', at: ago(5) })
    const [record] = await all()
    expect(await record?.read(signal())).to.equal(undefined)
  })

  it('a batch for each number, oldest first, over all pages and no further back than asked', async () => {
    for (let n = 0; n < 205; n += 1) {
      opened.standIn.receive({ from: ANNA, to: LINE, body: String(n), at: ago(50 - n / 10) })
    }
    opened.standIn.receive({ from: ANNA, to: LINE, body: 'long ago', at: ago(61) })
    opened.standIn.receive({ from: ANNA, to: OTHER_LINE, body: 'other', at: ago(55) })
    opened.standIn.receive({ from: ANNA, to: '+15005550003', body: 'nobody of ours', at: ago(5) })
    const texts = await Promise.all(
      (await listed(ago(60))).map((batch) =>
        Promise.all(batch.map(async (record) => (await record.read(signal()))?.content)),
      ),
    )
    expect(texts).to.deep.equal([
      Array.from({ length: 205 }, (_, n) => ({ type: 'inboundText', text: String(n) })),
      [{ type: 'inboundText', text: 'other' }],
      [],
    ])
  })

  it('does not read the pages that are older than asked', async () => {
    for (let n = 0; n < 300; n += 1) opened.standIn.receive({ from: ANNA, to: LINE, at: ago(120 + n) })
    expect(await all()).to.deep.equal([])
    expect(opened.standIn.requests).to.have.length(3)
  })

  it('nothing that the number itself sent', async () => {
    opened.standIn.receive({ from: LINE, to: OTHER_LINE, direction: 'outbound-api', at: ago(5) })
    expect(await all()).to.deep.equal([])
  })

  it('voicemails, with who called', async () => {
    const recording = opened.standIn.record({ from: ANNA, to: LINE, at: ago(5) })
    const [record] = await all()
    expect(record?.id).to.equal(recording.sid)
    const url = `${opened.standIn.url}/2010-04-01/Accounts/${ACCOUNT_SID}/Recordings/${recording.sid}.mp3`
    expect(await record?.read(signal())).to.deep.equal({
      fromNumber: ANNA,
      toNumber: LINE,
      content: { type: 'voiceMail', url },
    })
  })

  it('no recording that is silent, unfinished, of something else, or of another number', async () => {
    const call = { from: ANNA, to: LINE, at: ago(5) }
    opened.standIn.record({ ...call, duration: '0' })
    opened.standIn.record({ ...call, status: 'processing' })
    opened.standIn.record({ ...call, source: 'DialVerb' })
    expect(await all()).to.deep.equal([])
    opened.standIn.record({ ...call, to: '+15005550003' })
    opened.standIn.record({ ...call, call: { from: LINE, to: ANNA, direction: 'outbound-api' } })
    opened.standIn.record({ ...call, call: undefined })
    const read = await Promise.all((await all()).map((record) => record.read(signal())))
    expect(read).to.deep.equal([undefined, undefined, undefined])
  })

  it('in words why Twilio does not say', async () => {
    opened.standIn.record({ from: ANNA, to: LINE, at: ago(5) })
    const [record] = await all()
    opened.standIn.behaveAlways(refuse(503, undefined, ''))
    expect(await failure(all())).to.be.instanceOf(CarrierRefused)
    const error = await failure(record?.read(signal()) ?? Promise.resolve())
    expect(error).to.be.instanceOf(CarrierRefused)
    expect(error.message).to.match(/^Twilio returned HTTP 503/)
  })
})
