import { isIP } from 'node:net'
import { CARRIER_REASON_NAMES, type CarrierReason } from '../../carrier-reasons.js'
import { LANGUAGE_NAMES, type Language } from '../../kit/text/national-tables.js'
import { parseRanges, type AddressRange } from '../../safe-fetch.js'

/** Readers of the lines in an SMPP account's settings. Each throws an Error with words for operators. */

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/**
 * An additional field of sent messages (SMPP 3.4 §5.3.1), with the value that it has unless the message has its own.
 */
export interface Tlv {
  name: string
  tag: number
  encode: (value: string) => Buffer
  value: string | undefined
}

const INTEGERS = { int8: 1, int16: 2, int32: 4 } as const

const ENCODERS: Readonly<Record<string, (value: string) => Buffer>> = {
  text: (value) => Buffer.from(value, 'latin1'),
  cstring: (value) => Buffer.from(`${value}\0`, 'latin1'),
  hex: (value) => {
    if (!/^([0-9a-f]{2})*$/i.test(value)) throw new Error(`${value} is not hex`)
    return Buffer.from(value, 'hex')
  },
  ...Object.fromEntries(
    Object.entries(INTEGERS).map(([type, length]) => [
      type,
      (value: string) => {
        const number = Number(value)
        if (!/^\d+$/.test(value) || number >= 2 ** (8 * length)) throw new Error(`${value} is not an ${type}`)
        const bytes = Buffer.alloc(length)
        bytes.writeUIntBE(number, 0, length)
        return bytes
      },
    ]),
  ),
}

/** Reads a line such as `entityId 0x1400 text 1101234567890`. */
export function readTlv(line: string): Tlv {
  const [, name, tag, type = '', value] =
    /^([A-Za-z][A-Za-z0-9]{0,39})\s+(0x[0-9a-f]{1,4}|\d{1,5})\s+(\w+)(?:\s+(\S.*))?$/i.exec(line) ?? []
  const encode = Object.hasOwn(ENCODERS, type) ? ENCODERS[type] : undefined
  if (name === undefined || Number(tag) > 0xffff || encode === undefined) {
    throw new Error(
      `"${line}" must be a name, a tag, a type (${Object.keys(ENCODERS).join(', ')}) and a value`,
    )
  }
  if (value !== undefined) encode(value)
  return { name, tag: Number(tag), encode, value }
}

type StatusMeaning = 'throttled' | 'unavailable' | 'rejected' | 'account' | 'unknown'

const MEANINGS: readonly StatusMeaning[] = ['throttled', 'unavailable', 'rejected', 'account', 'unknown']

/** What a status means and, if it is final, perhaps the reason. */
export interface StatusRule {
  meaning: StatusMeaning
  reason?: CarrierReason
}

/** Reads a line such as `0x0412 throttled` or `0x0413 account no_credit`. */
export function readStatusRule(line: string): [code: number, rule: StatusRule] {
  const [, code, written, because] = /^(0x[0-9a-f]{1,8}|\d{1,10})\s+(\w+)(?:\s+(\w+))?$/i.exec(line) ?? []
  const meaning = MEANINGS.find((each) => each === written)
  if (code === undefined || meaning === undefined || Number(code) === 0) {
    throw new Error(`"${line}" must be a status other than 0, followed by one of ${MEANINGS.join(', ')}`)
  }
  if (because === undefined) return [Number(code), { meaning }]
  const reason = CARRIER_REASON_NAMES.find((each) => each === because)
  if (reason === undefined || (meaning !== 'rejected' && meaning !== 'account')) {
    throw new Error(
      `"${line}" can have a reason only after rejected or account, and it must be one of ${CARRIER_REASON_NAMES.join(', ')}`,
    )
  }
  return [Number(code), { meaning, reason }]
}

/** Reads a line such as `027 0x1c unreachable`. */
export function readReceiptError(line: string): { codes: string[]; reason: CarrierReason } {
  const codes = line.split(/\s+/)
  const written = codes.pop()
  const reason = CARRIER_REASON_NAMES.find((each) => each === written)
  if (reason === undefined || codes.length === 0 || !codes.every((code) => /^[0-9a-z]{1,20}$/i.test(code))) {
    throw new Error(
      `"${line}" must be one or more codes, followed by one of ${CARRIER_REASON_NAMES.join(', ')}`,
    )
  }
  return { codes, reason }
}

/** Reads a list such as `turkish, spanish`. */
export function readLanguages(list: string): Language[] {
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((written) => {
      const language = LANGUAGE_NAMES.find((each) => each === written.toLowerCase())
      if (language === undefined) throw new Error(`"${written}" must be one of ${LANGUAGE_NAMES.join(', ')}`)
      return language
    })
}

/** If `port` is undefined, the account's port applies. An IPv6 address is in brackets. */
export function readHost(line: string): { host: string; port: number | undefined } {
  const [, inBrackets, name, port] = /^(?:\[([^\]]+)\]|([^\s:]+))(?::(\d{1,5}))?$/.exec(line) ?? []
  const host = inBrackets ?? name
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
    throw new Error(`"${line}" is not a host or host:port`)
  }
  return { host, port: port === undefined ? undefined : Number(port) }
}

/** Reads an address, or a network such as `203.0.113.0/24`. */
export function readNetwork(line: string): AddressRange {
  const cidr = isIP(line) === 0 ? line : `${line}/${isIP(line) === 4 ? 32 : 128}`
  const [range] = parseRanges([cidr])
  if (range === undefined) throw new Error(`"${line}" is not an address`)
  return range
}
