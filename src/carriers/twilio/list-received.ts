import { CarrierRefused } from '../carrier.js'
import { contentOf, type Received, type ReceivedRecord } from '../records.js'
import { createdAtOf, readObject, textOf } from './answers.js'
import type { TwilioApi } from './api.js'
import { isHeard, soundOf } from './callbacks.js'
import { explainAnswer, explainTwilioFailure } from './errors.js'

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
  const list = { path: '/Recordings.json', name: 'recordings', query: {} }
  yield await collect(api, list, since, signal, (record) => recordingOf(api, record, numbers))
}

async function collect(
  api: TwilioApi,
  list: { path: string; name: string; query: Record<string, string> },
  since: Date,
  signal: AbortSignal,
  read: (record: Listed) => ReceivedRecord | undefined,
): Promise<ReceivedRecord[]> {
  const found: ReceivedRecord[] = []
  for await (const records of api.pages({ ...list, maxPages: MAX_PAGES }, signal)) {
    for (const each of records) {
      const record = createdAtOf(each) >= since.getTime() ? read(each) : undefined
      if (record) found.push(record)
    }
    const oldest = records.at(-1)
    if (oldest && createdAtOf(oldest) < since.getTime()) break
  }
  return found.reverse()
}

function messageOf(api: TwilioApi, record: Listed): ReceivedRecord | undefined {
  const sid = textOf(record.sid)
  if (sid === '' || textOf(record.direction) !== 'inbound') return undefined
  const text = textOf(record.body)
  const parties = { fromNumber: textOf(record.from), toNumber: textOf(record.to) }
  const mediaCount = Number(textOf(record.num_media)) || 0
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
  const list = { path: `${path}.json`, name: 'media_list', query: {}, maxPages: 1 }
  const urls: string[] = []
  for await (const records of api.pages(list, signal)) {
    // The URLs are the same as in the callback.
    for (const { sid: media } of records) urls.push(api.urlOf(`${path}/${textOf(media)}`))
  }
  return urls
}

/** Only recordings of calls that we had recorded count, and not other recordings of the account. */
function recordingOf(api: TwilioApi, record: Listed, numbers: readonly string[]): ReceivedRecord | undefined {
  const sid = textOf(record.sid)
  const callSid = textOf(record.call_sid)
  if (sid === '' || callSid === '' || textOf(record.source) !== 'RecordVerb') return undefined
  if (!isHeard(textOf(record.status), textOf(record.duration))) return undefined
  return {
    receivedAt: new Date(createdAtOf(record)),
    id: sid,
    read: async (signal): Promise<Received | undefined> => {
      const call = await readCall(api, callSid, signal)
      const parties = { fromNumber: textOf(call?.from), toNumber: textOf(call?.to) }
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
  const answer = await api.get(`/Calls/${sid}.json`, signal).catch((error: unknown) => {
    throw new CarrierRefused(explainTwilioFailure(error))
  })
  if (answer.status === 404) return undefined
  const call = answer.status === 200 ? readObject(answer) : undefined
  if (call === undefined) throw new CarrierRefused(explainAnswer(answer))
  return call
}
