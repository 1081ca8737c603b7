import { createHmac } from 'node:crypto'
import { UserError } from '../../errors.js'
import { isSameSecret } from '../../secrets.js'
import type { CallbackRequest, CallbackTools, CarrierCallbacks } from '../callbacks.js'
import { partsOf, type ReceivedPart, type SentRecord } from '../records.js'
import { MAX_REASON_LENGTH, withoutNumbers } from '../refusals.js'
import { at, textAt } from './json-path.js'
import type { HttpSettings } from './settings.js'

const CALLBACKS = ['message', 'status'] as const
type Name = (typeof CALLBACKS)[number]

/** Twilio allows as many in a message. Each becomes a message of its own, with a copy to make, so there is a bound. */
const MAX_MEDIA = 10

/** What a carrier posts to us, form or JSON: messages that came in, and reports on those that it took. */
export const httpCallbacks: CarrierCallbacks<HttpSettings> = {
  names: CALLBACKS,
  unsignedHint: 'the signature does not fit: look at signingSecret and signatureHeader of the account',
  isSigned: ({ signingSecret, signatureHeader }, { body, header }) => {
    if (signingSecret === '') return false
    const given = header(signatureHeader).replace(/^sha256=/i, '')
    const hmac = createHmac('sha256', signingSecret).update(body).digest()
    return (
      isSameSecret(given.toLowerCase(), hmac.toString('hex')) || isSameSecret(given, hmac.toString('base64'))
    )
  },
  answer: async (name, request, tools) => {
    await ANSWERS[name as Name](request, tools)
    return { type: 'application/json', body: '{"success":true}' }
  },
}

type Answer = (request: CallbackRequest, tools: CallbackTools<HttpSettings>) => Promise<void>

const ANSWERS: Record<Name, Answer> = {
  message: async ({ fields }, { settings, receiveMessage, confirm }) => {
    const id = textAt(fields, settings.messageIdField)
    const fromNumber = asE164(textAt(fields, settings.fromField))
    const toNumber = asE164(textAt(fields, settings.toField))
    if (id === '' || fromNumber === '' || toNumber === '') {
      await confirm()
      const { messageIdField, fromField, toField } = settings
      throw new UserError(`${messageIdField}, ${fromField} and ${toField} must be there`)
    }
    for (const part of partsOfMessage(id, fields, settings)) {
      await receiveMessage({ carrierMessageId: part.id, fromNumber, toNumber, content: part.content })
    }
  },

  status: async ({ fields }, { settings, receiveReceipt, confirm }) => {
    const receipt = readStatus(fields, settings)
    if (receipt === undefined) await confirm()
    else await receiveReceipt(receipt)
  },
}

/** Many carriers leave the plus sign out, and some write 00. Fewer digits are a short code. */
function asE164(written: string): string {
  const international = /^(?:\+|00)?([1-9]\d{7,14})$/.exec(written.replace(/[\s().-]/g, ''))
  return international === null ? written : `+${international[1]}`
}

function partsOfMessage(
  id: string,
  fields: unknown,
  { textField, mediaField }: HttpSettings,
): ReceivedPart[] {
  const urls = [at(fields, mediaField)].flat().filter((url) => typeof url === 'string' && url !== '')
  return partsOf(id, textAt(fields, textField), (urls as string[]).slice(0, MAX_MEDIA))
}

/** @returns undefined where there is nothing to note: a state that says nothing new, or that nobody knows */
function readStatus(fields: unknown, settings: HttpSettings): SentRecord | undefined {
  const carrierMessageId = textAt(fields, settings.statusIdField)
  const word = textAt(fields, settings.statusField).trim().toLowerCase()
  if (carrierMessageId === '' || word === '') return undefined
  const isOneOf = (words: string) => words.split(',').some((each) => each.trim().toLowerCase() === word)
  if (isOneOf(settings.deliveredWords)) return { carrierMessageId, status: 'delivered' }
  if (isOneOf(settings.sentWords)) return { carrierMessageId, status: 'sent' }
  if (!isOneOf(settings.failedWords)) return undefined
  const said = withoutNumbers(textAt(fields, settings.errorField)).slice(0, MAX_REASON_LENGTH)
  return { carrierMessageId, status: 'failed', error: said === '' ? word : said }
}
