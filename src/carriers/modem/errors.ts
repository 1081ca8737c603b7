import { CarrierOutcomeUnknown, CarrierRejected, CarrierThrottled, CarrierUnavailable } from '../carrier.js'

/**
 * What the errors say (3GPP TS 27.005 §3.2.5, with the causes of 24.011 annex E-2 and 23.040 §9.2.3.22; 27.007 §9.2).
 * A code that is not here, such as a modem's own, leaves open whether the text was sent.
 */
type Meaning =
  /** The network refuses this text. */
  | 'rejected'
  /** The modem or the network is busy. */
  | 'throttled'
  /** It was certainly not sent, but may be sent later. */
  | 'unavailable'

const CODES: Readonly<Record<string, readonly [Meaning, string]>> = {
  'CMS-1': ['rejected', 'the number does not exist'],
  'CMS-8': ['rejected', 'the operator has barred texts from this SIM card'],
  'CMS-10': ['rejected', 'texts are barred'],
  'CMS-17': ['unavailable', 'the network has failed'],
  'CMS-21': ['rejected', 'the network refused the text'],
  'CMS-22': ['throttled', 'the network is congested'],
  'CMS-27': ['unavailable', 'the recipient cannot be reached by the network'],
  'CMS-28': ['rejected', 'the network does not know the SIM card'],
  'CMS-29': ['rejected', 'the network does not offer this'],
  'CMS-30': ['rejected', 'the network does not know the subscriber'],
  'CMS-38': ['unavailable', 'the network is out of order'],
  'CMS-41': ['unavailable', 'the network has failed temporarily'],
  'CMS-42': ['throttled', 'the network is congested'],
  'CMS-47': ['throttled', 'the network has no capacity'],
  'CMS-50': ['rejected', 'the SIM card may not send texts'],
  'CMS-69': ['rejected', 'the network does not offer this'],
  'CMS-81': ['rejected', 'the network found a fault in the text'],
  'CMS-95': ['rejected', 'the network found a fault in the text'],
  'CMS-96': ['rejected', 'the network found a fault in the text'],
  'CMS-97': ['rejected', 'the network does not know such a text'],
  'CMS-98': ['rejected', 'the network does not expect such a text now'],
  'CMS-99': ['rejected', 'the network does not know a part of the text'],
  'CMS-111': ['rejected', 'the network found a fault in the text'],
  'CMS-127': ['rejected', 'the network gave no reason'],
  'CMS-128': ['rejected', 'the SMS centre does not pass texts on to such a service'],
  'CMS-143': ['rejected', 'the SMS centre does not accept this protocol'],
  'CMS-176': ['rejected', 'the SMS centre does not accept such a text'],
  'CMS-192': ['throttled', 'the SMS centre is busy'],
  'CMS-193': ['rejected', 'the SIM card has no contract with the SMS centre'],
  'CMS-194': ['unavailable', 'the SMS centre has failed'],
  'CMS-195': ['rejected', 'the SMS centre says that the number is invalid'],
  'CMS-196': ['rejected', 'the recipient is barred'],
  'CMS-197': ['rejected', 'the SMS centre has refused it as a duplicate'],
  'CMS-198': ['rejected', 'the SMS centre does not accept this form of validity'],
  'CMS-199': ['rejected', 'the SMS centre does not accept this validity'],
  'CMS-302': ['unavailable', 'the modem does not allow it now'],
  'CMS-304': ['rejected', 'the modem found a fault in the text'],
  'CMS-310': ['unavailable', 'there is no SIM card in the modem'],
  'CMS-311': ['unavailable', 'the SIM card asks for its PIN'],
  'CMS-313': ['unavailable', 'the SIM card has failed'],
  'CMS-314': ['throttled', 'the SIM card is busy'],
  'CMS-315': ['unavailable', 'the modem does not accept this SIM card'],
  'CMS-316': ['unavailable', 'the SIM card is locked and asks for its PUK'],
  'CMS-320': ['unavailable', 'the memory for texts has failed'],
  'CMS-322': ['unavailable', 'the memory for texts is full'],
  'CMS-330': ['unavailable', 'the number of the SMS centre is unknown. Enter it in the settings'],
  'CMS-331': ['unavailable', 'there is no network'],
  'CME-10': ['unavailable', 'there is no SIM card in the modem'],
  'CME-11': ['unavailable', 'the SIM card asks for its PIN'],
  'CME-12': ['unavailable', 'the SIM card is locked and asks for its PUK'],
  'CME-13': ['unavailable', 'the SIM card has failed'],
  'CME-14': ['throttled', 'the SIM card is busy'],
  'CME-15': ['unavailable', 'the modem does not accept this SIM card'],
  'CME-30': ['unavailable', 'there is no network'],
}

/** By then there should be room again. */
const THROTTLED_MS = 5000

/**
 * Converts the error of a text to one of the four errors.
 *
 * @param isWritten false if the modem did not get the text, so that nothing can have been sent
 */
export function errorOf(code: string, isWritten: boolean): Error {
  const words = describeCode(code)
  switch (CODES[code]?.[0]) {
    case 'rejected':
      return new CarrierRejected(words, code)
    case 'throttled':
      return new CarrierThrottled(THROTTLED_MS)
    case 'unavailable':
      return new CarrierUnavailable(words)
    case undefined:
      return isWritten ? new CarrierOutcomeUnknown(words) : new CarrierUnavailable(words)
  }
}

export function describeCode(code: string): string {
  const words = CODES[code]?.[1]
  return words === undefined ? `the modem reports an error (${code})` : `${words} (${code})`
}

/** What a status report means (3GPP TS 23.040 §9.2.3.15). */
const STATUSES: Readonly<Record<number, string>> = {
  0x40: 'the network has failed',
  0x41: 'the recipient cannot receive texts',
  0x42: 'the phone refused the text',
  0x43: 'the recipient cannot be reached',
  0x46: 'the text expired before it could be delivered',
  0x48: 'the SMS centre has deleted it',
  0x60: 'the network is congested',
  0x61: 'the phone was busy',
  0x62: 'the phone did not answer',
  0x63: 'the network refused the text',
}

/** Below 0x20 the text is done, up to 0x3f the SMS centre keeps trying, and from 0x40 on it has given up. */
export function readStatus(status: number): {
  status: 'sent' | 'delivered' | 'failed'
  error?: string
  carrierCode?: string
} {
  if (status === 0) return { status: 'delivered' }
  if (status < 0x40) return { status: 'sent' }
  const error = STATUSES[status] ?? 'the SMS centre could not deliver it'
  return { status: 'failed', error, carrierCode: `ST-${status.toString(16)}` }
}
