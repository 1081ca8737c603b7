import { smpp } from './package.js'
import { linesOf, readStatusRule, type StatusRule } from './setting-lines.js'
import type { SmppSettings } from './settings.js'

const NAMES = new Map(Object.entries(smpp.errors).map(([name, code]) => [code, name]))

/** Returns the number of a `command_status` by its name in the specification. */
export function statusCode(name: string): number {
  return smpp.errors[name] ?? 0
}

/** @returns a name such as `ESME_RINVDSTADR`; for an SMSC's own statuses the number, such as `0x0400` */
export function statusName(code: number): string {
  return NAMES.get(code) ?? `0x${code.toString(16).padStart(4, '0')}`
}

/** Returns the rule of the account for the SMSC's own statuses, or that of the specification. */
export function ruleOf(code: number, { statuses }: Pick<SmppSettings, 'statuses'>): StatusRule {
  const rules = new Map(linesOf(statuses).map(readStatusRule))
  const name = statusName(code)
  return (
    rules.get(code) ?? {
      meaning: THROTTLED.has(name) ? 'throttled' : TEMPORARY.has(name) ? 'unavailable' : 'rejected',
    }
  )
}

/** The SMSC has too much to do, and will take the message later. */
const THROTTLED: ReadonlySet<string> = new Set(['ESME_RTHROTTLED', 'ESME_RMSGQFUL'])

/** The SMSC reports a fault of its own. It did not take the message. */
const TEMPORARY: ReadonlySet<string> = new Set([
  'ESME_RSYSERR',
  'ESME_RSUBMITFAIL',
  'ESME_RINVBNDSTS',
  'ESME_RX_T_APPN',
  'ESME_RSERTYPUNAVAIL',
])

/** Words for statuses that a person can do something about. The others are shown by their code. */
const WORDS: Readonly<Record<string, string>> = {
  ESME_RINVMSGLEN: 'the message is too long',
  ESME_RINVSRCADR: "the sender's number is not accepted",
  ESME_RINVDSTADR: "the recipient's number is not accepted",
  ESME_RINVSRCTON: "the sender's type of number (sourceTon) is not accepted",
  ESME_RINVSRCNPI: "the sender's numbering plan (sourceNpi) is not accepted",
  ESME_RINVDSTTON: "the recipient's type of number (destTon) is not accepted",
  ESME_RINVDSTNPI: "the recipient's numbering plan (destNpi) is not accepted",
  ESME_RINVESMCLASS: 'multipart texts are not accepted in this format (longMessages)',
  ESME_RINVDCS: 'the encoding of the text is not accepted',
  ESME_RPROHIBITED: 'the account is not allowed to send this',
  ESME_RINVPASWD: 'the password is wrong',
  ESME_RINVSYSID: 'the systemId is unknown',
  ESME_RINVSYSTYP: 'the systemType is wrong',
  ESME_RBINDFAIL: 'the bind failed. Check systemId, password and the number of binds',
  ESME_RALYBND: 'the account already has its maximum number of binds',
  ESME_RTHROTTLED: 'too many messages at once',
  ESME_RSYSERR: 'the SMSC failed',
}

/** Returns the status in words, such as `the password is wrong (ESME_RINVPASWD)`. */
export function describeStatus(name: string): string {
  const words = WORDS[name]
  return words === undefined ? `refused with ${name}` : `${words} (${name})`
}
