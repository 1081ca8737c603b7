import type { TwilioCallbackName } from '../../../src/carriers/twilio/callback-urls.js'
import type { CarrierAccount } from '../../../src/database/carriers/carrier-accounts.js'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../../src/domain/context.js'
import { postSigned, type SignedOptions } from '../../carriers/twilio/callbacks.js'
import { ACCOUNT_SID, AUTH_TOKEN } from '../../carriers/twilio/stand-in.js'
import { createTestContext } from '../../helpers/context.js'
import type { Environment } from '../../helpers/process/environment.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { closing, serveApp, type TestWeb } from '../../helpers/web/web.js'

/** Where Twilio believes to call us: behind a proxy that takes the prefix off. */
export const PUBLIC_URL = 'https://linehook.example.com/phone'

export interface Called {
  status: number
  type: string | null
  text: string
}

export interface TwilioSide {
  context: Context
  web: TestWeb
  account: CarrierAccount
  line: TestLine
  /** What Twilio signs, with a query if `name` has one. */
  urlOf(name: string, accountId?: string): string
  /** Twilio calls us. */
  call(
    name: TwilioCallbackName | `${TwilioCallbackName}?${string}`,
    fields: Record<string, string>,
    options?: SignedOptions & { accountId?: string },
  ): Promise<Called>
  close(): Promise<void>
}

export async function addTwilio(
  context: Context,
  name: string,
  settings: Record<string, unknown> = {},
): Promise<CarrierAccount> {
  return addCarrierAccount(context, {
    name,
    kind: 'twilio',
    settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, ...settings },
  })
}

/** The app with a line at an account of Twilio. */
export async function serveTwilio(overrides: Environment = {}): Promise<TwilioSide> {
  const context = await createTestContext({ PUBLIC_URL, ...overrides })
  const web = await serveApp(context)
  const account = await addTwilio(context, 'twilio', { greeting: 'You & me' })
  const line = await createLine(context, { carrierAccount: 'twilio', outgoingUrl: 'http://127.0.0.1:1/' })
  const urlOf = (name: string, accountId = account.id) => `${PUBLIC_URL}/carriers/twilio/${accountId}/${name}`
  return {
    context,
    web,
    account,
    line,
    urlOf,
    call: async (name, fields, { accountId, ...options } = {}) => {
      const { response, text } = await postSigned(urlOf(name, accountId), fields, {
        sendTo: web.url,
        withoutPrefix: '/phone',
        ...options,
      })
      return { status: response.status, type: response.headers.get('content-type'), text }
    },
    close: closing({ context, web }),
  }
}

export interface InboundRow {
  carrier_message_id: string
  type: string
  from_number: string
  text: string | null
  source_url: string | null
}

/** What a line has received, oldest first. */
export async function inboundOf({ context, line }: TwilioSide): Promise<InboundRow[]> {
  return context
    .db('messages as m')
    .leftJoin('media as c', 'c.message_id', 'm.id')
    .where({ 'm.line_id': line.lineId, 'm.direction': 'inbound' })
    .orderBy(['m.id', 'c.id'])
    .select<InboundRow[]>('m.carrier_message_id', 'm.type', 'm.from_number', 'm.text', 'c.source_url')
}
