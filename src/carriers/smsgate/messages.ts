import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { isOurs, isPhone, SLOTS, withPlus, type Settings } from './phone.js'

/** `payload.messageId` is a hash of the content, so the event's id is used: only a repeat has the same. */
export function readMessage(
  event: unknown,
  text: string,
  its: Settings,
  mediaUrls: readonly string[] = [],
): kit.CallbackItem {
  if (!isPhone(its.apiUrl) && !isOurs(textAt(event, 'deviceId'), its))
    return kit.unclear('a message of another phone. Set deviceId to the one of this account')
  const payload = at(event, 'payload')
  const card = textAt(payload, 'simNumber')
  const slot = SLOTS[Number(card) - 1]
  const ofCard = slot === undefined ? '' : its[slot]
  // Without the permission to read the phone's state the app knows neither the card nor its number. A card that it does
  // know may be somebody's own, beside the one of the line.
  const known = card === '' ? SLOTS.map((each) => its[each]).filter((each) => each !== '') : []
  // The number that is written on the card may be old, and without a plus sign its country is not known.
  const to = ofCard || withPlus(textAt(payload, 'recipient')) || onlyOne(known)
  if (to === '') return kit.unclear('a message for a SIM card without a number. Set sim1, sim2 or sim3')
  const sender = textAt(payload, 'sender') || textAt(payload, 'phoneNumber')
  // The number is as the network gave it: without a plus sign it belongs to the card's country.
  const from = /^\d{8,15}$/.test(sender) ? kit.readNumber(sender, 'national', to) : sender
  return kit.message({ id: textAt(event, 'id'), from, to, text, mediaUrls })
}

function onlyOne(list: readonly string[]): string {
  return list.length === 1 ? (list[0] ?? '') : ''
}

/** https://docs.sms-gate.app/features/mms/: attachments are in the request itself. */
export function readMms(event: unknown, its: Settings): kit.CallbackItem[] {
  const text = textAt(event, 'payload.body') || textAt(event, 'payload.subject')
  const attached = kit
    .listAt(event, 'payload.attachments')
    // The text is one of them, and so is how the phone lays it out.
    .filter((each) => !/^(text\/plain|application\/smil)/i.test(textAt(each, 'contentType')))
    .map((each) => kit.dataUrl(textAt(each, 'contentType'), textAt(each, 'data')))
  const urls = attached.filter((url) => url !== '')
  const missing = attached.length > urls.length ? [kit.unclear('an MMS that does not include its media')] : []
  if (text === '' && urls.length === 0 && missing.length > 0) return missing
  return [readMessage(event, text, its, urls), ...missing]
}
