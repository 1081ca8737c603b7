import * as yup from 'yup'
import * as kit from '../kit.js'
import { textAt } from '../kit.js'

export type Settings = yup.InferType<typeof settings>

/** The slots of a phone; the API counts from one. */
export const SLOTS = ['sim1', 'sim2', 'sim3'] as const

export const settings = yup.object({
  username: kit.setting.needed(
    'The user name that the app shows at its local server, or at its cloud server.',
  ),
  password: kit.setting.secret('The password beside it.'),
  apiUrl: kit.setting.apiUrl('https://api.sms-gate.app/3rdparty/v1').meta({
    about:
      'Where the API is: the phone itself, such as http://192.168.1.20:8080, the cloud, or a server of your own.',
  }),
  signingKey: kit.setting.secret('In the app under Settings, Webhooks, Signing key.'),
  deviceId: kit.setting.optional('Which phone, where the cloud account has several; the app shows its ID.'),
  sim1: simNumber('The number of the SIM card in slot 1. A line sends by the card with its number.'),
  sim2: simNumber('The number of the SIM card in slot 2.'),
  sim3: simNumber('The number of the SIM card in slot 3.'),
  awayAfterHours: kit.setting
    .optional('After so many hours without a word the cloud takes no message for the phone. 0: never.', '2')
    .matches(/^\d{1,3}$/, 'awayAfterHours must be a whole number of hours'),
})

function simNumber(about: string) {
  return kit.setting
    .optional(about)
    .matches(/^(\+[1-9]\d{6,14})?$/, 'the number of a SIM card must be written like +15551234567')
}

/** The phone's own server has the same API without a prefix; a server for several phones lists them. */
export function isPhone(apiUrl: string): boolean {
  return !apiUrl.includes('/3rdparty/')
}

export function devicesPath(apiUrl: string): string {
  return isPhone(apiUrl) ? '/device' : '/devices'
}

/** The numbers that were entered, and those that the phone knows of its cards. */
export async function listNumbers({
  ask,
  settings: its,
}: kit.Asking<Settings>): Promise<kit.CarrierNumber[]> {
  const { body } = await ask({ path: devicesPath(its.apiUrl) })
  const devices = kit.listAt({ body }, 'body')
  const cards = devices
    .filter((each) => its.deviceId === '' || textAt(each, 'id') === its.deviceId)
    .flatMap((each) => kit.textsAt(each, 'simCards', 'phoneNumber'))
    .map((number) => kit.readNumber(number))
  const numbers = new Set(
    [...SLOTS.map((each) => its[each]), ...cards].filter((each) => each.startsWith('+')),
  )
  return [...numbers].map((number) => ({ id: number, number, name: number }))
}
