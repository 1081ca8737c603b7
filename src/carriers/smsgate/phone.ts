import * as yup from 'yup'
import * as kit from '../kit.js'
import { textAt } from '../kit.js'

export type Settings = yup.InferType<typeof settings>

/** The slots of a phone; the API counts from one. */
export const SLOTS = ['sim1', 'sim2', 'sim3'] as const

export const settings = yup.object({
  username: kit.setting.needed(
    'The user name that the app shows under its local server or its cloud server.',
  ),
  password: kit.setting.secret('The password shown with it.'),
  apiUrl: kit.setting.apiUrl('https://api.sms-gate.app/3rdparty/v1').meta({
    about:
      'The URL of the API: the phone itself, such as http://192.168.1.20:8080, the cloud, or your own server.',
  }),
  signingKey: kit.setting.secret(
    'The signing key. Find it in the app under Settings, Webhooks, Signing key.',
  ),
  deviceId: kit.setting.optional('The ID of the phone, if the cloud account has several. The app shows it.'),
  sim1: simNumber('The number of the SIM card in slot 1. A line sends through the card with its own number.'),
  sim2: simNumber('The number of the SIM card in slot 2.'),
  sim3: simNumber('The number of the SIM card in slot 3.'),
  awayAfterHours: kit.setting
    .optional(
      'The cloud accepts no messages for a phone that has been silent for this many hours. 0 turns this off.',
      '2',
    )
    .matches(/^\d{1,3}$/, 'awayAfterHours must be a whole number of hours, up to 999'),
})

function simNumber(about: string) {
  return kit.setting
    .optional(about)
    .matches(/^(\+[1-9]\d{6,14})?$/, 'the number of a SIM card must be in E.164 format, such as +15551234567')
}

/** The phone's own server has the same API without a prefix; a server for several phones lists its phones. */
export function isPhone(apiUrl: string): boolean {
  return !apiUrl.includes('/3rdparty/')
}

/** True if this is the account's phone, or if it may be. */
export function isOurs(id: string, { deviceId }: Settings): boolean {
  return deviceId === '' || id === '' || id === deviceId
}

export function devicesPath(apiUrl: string): string {
  return isPhone(apiUrl) ? '/device' : '/devices'
}

/** A national number would be read as one of another country, so '' is returned for it. */
export function withPlus(number: string): string {
  return number.startsWith('+') ? kit.readNumber(number) : ''
}

/** Lists the numbers that were entered, and those in E.164 that are written on the SIM cards. */
export async function listNumbers({
  ask,
  settings: its,
}: kit.Asking<Settings>): Promise<kit.CarrierNumber[]> {
  const { body } = await ask({ path: devicesPath(its.apiUrl) })
  const devices = kit.listAt({ body }, 'body')
  const cards = devices
    .filter((each) => its.deviceId === '' || textAt(each, 'id') === its.deviceId)
    .flatMap((each) => kit.textsAt(each, 'simCards', 'phoneNumber'))
    .map(withPlus)
  const numbers = new Set([...SLOTS.map((each) => its[each]), ...cards].filter((each) => each !== ''))
  return [...numbers].map((number) => ({ id: number, number, name: number }))
}
