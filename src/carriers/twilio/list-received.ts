import { CarrierRefused } from '../carrier.js'
import { contentOf, type Received, type ReceivedRecord } from '../records.js'
import { isRecord, textAt } from '../kit/reading.js'
import { createdAtOf, type TwilioApi } from './api.js'
import { isHeard, soundOf } from './callbacks.js'
import { explainAnswer } from './errors.js'

/** The bound of 100,000 records stops a list that would otherwise never end. */
const MAX_PAGES = 1000

type Listed = Record<string, unknown>

/**
 * Lists what these numbers received: a batch of messages for each number, and one of recordings, which Twilio lists
 * by account only. Its lists are newest first. They are not filtered by `DateSent`, which is when Twilio called us.
 *
 * @throws CarrierRefused
 */
export async function* listReceived(
  api: TwilioApi,
  numbers: readonly string[],
  since: Date,
  signal: AbortSignal,
): AsyncGenerator<ReceivedRecord[]> {
  for (const number of numbers) {
    const list = { path: '/Messages.json', name: 'messages', query: { To: number } }
    yield await collect(api, list, since, signal, (record) => messageOf(api, record))
  }
  const list = { path: '/Recordings.json', name: 'recordings' }
  yield await collect(api, list, since, signal, (record) => recordingOf(api, record, numbers))
}

async function collect(
  api: TwilioApi,
  list: { path: string; name: string; query?: Record<string, string> },
  since: Date,
  signal: AbortSignal,
  read: (record: Listed) => ReceivedRecord | undefined,
): Promise<ReceivedRecord[]> {
  const found: ReceivedRecord[] = []
  const pages = api.pages({ ...list, maxPages: MAX_PAGES, since: since.getTime() }, signal)
  for await (const records of pages) {
    for (const each of records) {
      const record = createdAtOf(each) >= since.getTime() ? read(each) : undefined
      if (record) found.push(record)
    }
  }
  return found.reverse()
}

function messageOf(api: TwilioApi, record: Listed): ReceivedRecord | undefined {
  const sid = textAt(record, 'sid')
  if (sid === '' || textAt(record, 'direction') !== 'inbound') return undefined
  const text = textAt(record, 'body')
  const parties = { fromNumber: textAt(record, 'from'), toNumber: textAt(record, 'to') }
  const mediaCount = Number(textAt(record, 'num_media')) || 0
  return {
    receivedAt: new Date(createdAtOf(record)),
    id: sid,
    read: async (signal) => {
      const urls = mediaCount === 0 ? [] : await listMedia(api, sid, signal)
      // If Twilio has deleted the media, they are not replaced by an empty text.
      const isGone = mediaCount > 0 && urls.length === 0 && text === ''
      return isGone ? undefined : { ...parties, content: contentOf(text, urls) }
    },
  }
}

async function listMedia(api: TwilioApi, sid: string, signal: AbortSignal): Promise<string[]> {
  const path = `/Messages/${sid}/Media`
  const list = { path: `${path}.json`, name: 'media_list', maxPages: 1 }
  const urls: string[] = []
  for await (const records of api.pages(list, signal)) {
    // The URLs are the same as in the callback.
    for (const each of records) urls.push(api.urlOf(`${path}/${textAt(each, 'sid')}`))
  }
  return urls
}

/** Only recordings of calls that we had recorded count, and not other recordings of the account. */
function recordingOf(api: TwilioApi, record: Listed, numbers: readonly string[]): ReceivedRecord | undefined {
  const sid = textAt(record, 'sid')
  const callSid = textAt(record, 'call_sid')
  if (sid === '' || callSid === '' || textAt(record, 'source') !== 'RecordVerb') return undefined
  if (!isHeard(textAt(record, 'status'), textAt(record, 'duration'))) return undefined
  return {
    receivedAt: new Date(createdAtOf(record)),
    id: sid,
    read: async (signal): Promise<Received | undefined> => {
      const call = await readCall(api, callSid, signal)
      const parties = { fromNumber: textAt(call, 'from'), toNumber: textAt(call, 'to') }
      if (call?.direction !== 'inbound' || !numbers.includes(parties.toNumber)) return undefined
      const url = soundOf(api.urlOf(`/Recordings/${sid}`))
      return { ...parties, content: { type: 'voiceMail', url } }
    },
  }
}

/**
 * @returns undefined if Twilio no longer has it
 * @throws CarrierRefused
 */
async function readCall(api: TwilioApi, sid: string, signal: AbortSignal): Promise<Listed | undefined> {
  const answer = await api.askOrRefuse({ path: `/Calls/${sid}.json`, alsoTakes: [404] }, signal)
  if (answer.status === 404) return undefined
  if (!isRecord(answer.body)) throw new CarrierRefused(explainAnswer(answer))
  return answer.body
}
