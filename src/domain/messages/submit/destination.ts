import type { OpenIncomingWebhook } from '../../../database/lines/incoming-webhooks.js'
import { UserError } from '../../../errors.js'
import { senderKindOf } from '../../../kit/text/sender-kind.js'
import { faultOfSender } from '../../lines/senders.js'
import { maySendTo, parseNumber, type ParsedNumber } from '../phone-number.js'
import { REFUSALS } from './refusals.js'

type SendingLine = Pick<
  OpenIncomingWebhook,
  'country' | 'allowedCountries' | 'pausedCountries' | 'lineNumber' | 'shortCodes'
>

/**
 * Returns the number that a line has to send to, in E.164.
 *
 * @throws UserError 400 if it is not a phone number, 403 if the line may not send there
 */
export function readDestination(line: SendingLine, written: string): string {
  const { number, refusal } = judgeDestination(line, written)
  if (refusal !== undefined) throw refusal
  return number
}

/**
 * Does the same, but returns the reason why the line may not send there now.
 *
 * @throws UserError 400 if it is not a phone number
 */
export function judgeDestination(
  line: SendingLine,
  written: string,
): { number: string; refusal: UserError | undefined } {
  // An operator has listed them one by one, because such digits could also be read as a number.
  if (line.shortCodes?.includes(written.trim()) === true)
    return { number: written.trim(), refusal: undefined }
  const parsed = parseNumber(written, line.country)
  if (parsed === undefined) throw new UserError(REFUSALS.notANumber)
  return { number: parsed.number, refusal: refusalOf(line, parsed) }
}

/** The line may not send to the number. Its message is that of the incoming webhook, plus the reason. */
export class NotAllowed extends UserError {
  constructor(readonly reason: string) {
    super(`${REFUSALS.notAllowed}. ${reason}`, 403)
  }

  /** Clients of an incoming webhook compare the message word by word, and may not know the line's settings. */
  withoutReason(): UserError {
    return new UserError(REFUSALS.notAllowed, this.status)
  }
}

function reasonOf({ lineNumber, allowedCountries }: SendingLine, to: ParsedNumber): string {
  if (to.number === lineNumber) return 'A line cannot text its own number'
  if (to.isPremium || allowedCountries === null) return 'Lines cannot text premium-rate numbers'
  const where = to.country === undefined ? 'of no country' : `in ${to.country}`
  return `This line may only text numbers in ${allowedCountries.join(', ')}. This one is ${where}`
}

function refusalOf(line: SendingLine, to: ParsedNumber): UserError | undefined {
  if (!maySendTo({ ...line, number: line.lineNumber }, to)) return new NotAllowed(reasonOf(line, to))
  // Finding the country takes a little time, and hardly any line has a paused one.
  if (line.pausedCountries !== null && line.pausedCountries.includes(to.country ?? '')) {
    return new UserError(REFUSALS.countryPaused, 403)
  }
  if (senderKindOf(line.lineNumber) === 'number') return undefined
  const fault = faultOfSender({ number: line.lineNumber, country: line.country }, to.country)
  return fault === undefined ? undefined : new UserError(SENDER_REFUSALS[fault], 403)
}

const SENDER_REFUSALS = {
  name_not_taken: REFUSALS.nameNotTaken,
  short_code_abroad: REFUSALS.shortCodeAbroad,
} as const
