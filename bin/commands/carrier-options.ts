import { InvalidArgumentError, type Command } from 'commander'
import type { CarrierAccountFields } from '../../src/database/carriers/carrier-accounts.js'
import type { SettingField } from '../../src/domain/carriers/accounts/settings.js'
import { UserError } from '../../src/errors.js'
import { readInput } from '../input.js'

/** Adds the options that `carrier add` and `carrier change` both have. */
export function withSharedOptions(command: Command): Command {
  return command
    .option(
      '--set <key=value>',
      'a setting; with key=- you are asked for the value, or it is read from standard input; this keeps secrets out ' +
        "of the shell's history; can be repeated",
      collect,
      [],
    )
    .option(
      '--per-second <count>',
      'messages per second for all its lines combined, where each part counts if long texts are sent in parts; can be below ' +
        '1, or none for no limit',
      pace,
    )
    .option(
      '--per-second-per-line <count>',
      'messages per second for each line, counted in the same way; can be below 1, or none for no limit',
      pace,
    )
    .option('--handles-opt-out', 'the carrier answers STOP, START and HELP itself')
    .option('--no-handles-opt-out', 'Linehook answers them')
}

export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** @throws UserError */
export async function readSettingOptions(written: readonly string[]): Promise<Record<string, string>> {
  const settings = written.map((each) => {
    const [, key, value] = /^([\w.-]+)=(.*)$/s.exec(each) ?? []
    if (key === undefined || value === undefined) {
      throw new UserError(
        '--set must be key=value, such as --set region=us, or key=- to enter the value when asked',
      )
    }
    return [key, value] as const
  })
  const asked = settings.filter(([, value]) => value === '-').map(([key]) => key)
  return { ...Object.fromEntries(settings), ...(await readInput(asked)) }
}

/** Asks a person at a terminal for the required settings that were not given. */
export async function askForRest(
  fields: readonly SettingField[],
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (!process.stdin.isTTY) return {}
  const missing = fields.filter(({ key, isRequired, standard }) => {
    return isRequired && standard === undefined && given[key] === undefined
  })
  return readInput(
    missing.map(({ key }) => key),
    Object.fromEntries(missing.map(({ key, about }) => [key, about])),
  )
}

export interface SharedOptions {
  set: string[]
  perSecond?: Pace
  perSecondPerLine?: Pace
  handlesOptOut?: boolean
  json?: boolean
}

/** `none` stands for null here, because commander would turn null into an empty text. */
type Pace = number | 'none'

/** Returns the fields whose options were given. */
export function readSharedOptions(options: SharedOptions): Partial<CarrierAccountFields> {
  const { perSecond, perSecondPerLine, handlesOptOut } = options
  return {
    ...(perSecond === undefined ? {} : { messagesPerSecond: toLimit(perSecond) }),
    ...(perSecondPerLine === undefined ? {} : { messagesPerSecondPerLine: toLimit(perSecondPerLine) }),
    ...(handlesOptOut === undefined ? {} : { handlesOptOut }),
  }
}

function toLimit(pace: Pace): number | null {
  return pace === 'none' ? null : pace
}

function pace(value: string): Pace {
  if (value === 'none') return value
  if (!/^\d+(\.\d+)?$/.test(value)) throw new InvalidArgumentError('It must be a number or none.')
  return Number(value)
}
