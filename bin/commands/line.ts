import type { Command } from 'commander'
import { listAllLines, type Line } from '../../src/database/lines/lines.js'
import { changeLine } from '../../src/domain/lines/change-line.js'
import { addLine, getAnyLine, setLineStatus } from '../../src/domain/lines/lines.js'
import { readRoute, setRoutes, writeRoute } from '../../src/domain/lines/routes.js'
import { setShortCodes } from '../../src/domain/lines/short-codes.js'
import { tryLineMessagesNow } from '../../src/domain/messages/try-now.js'
import { COMMAND_LINE, pauseLine, resumeLine } from '../../src/domain/operating/pauses.js'
import { moneyOf, readMonthlyCap, setMonthlyCap } from '../../src/domain/messages/spending/monthly-caps.js'
import type { Money } from '../../src/database/messages/spend-caps.js'
import { readCap, setSpendCap } from '../../src/domain/messages/spending/spend-caps.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { commandsAbout } from '../subject-command.js'
import { wholeNumber } from '../whole-number.js'
import { addLineImportCommand } from './line-import.js'
import { COUNTRIES, countriesOf, limitsOf, type LimitOptions } from './line-limits.js'

interface AddOptions extends LimitOptions {
  user: string
  name?: string
  carrier: string
  country?: string
  json?: boolean
}

export function addLineCommands(program: Command): void {
  const line = program.command('line').description('phone numbers')

  line
    .command('add')
    .description('add a line')
    .argument(
      '<number>',
      'a phone number in E.164 format, such as +15551234567, a short code, or a name that only sends',
    )
    .requiredOption('--user <email>', 'the email address of its owner')
    .option('--name <name>', 'display name (default: the number)')
    .option('--carrier <name>', 'its carrier account', 'simulator')
    .option('--country <code>', 'the country of a short code or a name, such as US')
    .option('--countries <codes>', COUNTRIES)
    .option('--per-number <count>', 'messages per minute to one number (5)', wholeNumber)
    .option('--per-minute <count>', 'messages per minute in total (30)', wholeNumber)
    .option('--json', 'print JSON')
    .action((number: string, options: AddOptions) =>
      run(options, async (context) => {
        const { name, carrier, country } = options
        const user = await getUserByEmail(context, options.user)
        const added = await addLine(context, {
          userId: user.id,
          number,
          carrierAccount: carrier,
          ...(name === undefined ? {} : { name }),
          ...(country === undefined ? {} : { country }),
          ...limitsOf(options),
        })
        return { result: added, lines: [`line ${added.number} added (${added.id})`] }
      }),
    )

  addLineImportCommand(line)

  line
    .command('list')
    .description('list all lines')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(options, async (context) => {
        const lines = await listAllLines(context.db)
        return {
          result: lines,
          lines:
            lines.length === 0
              ? ['There are no lines. Add one with `linehook line add`.']
              : lines.map(
                  (each) =>
                    `${each.id}  ${each.number.padEnd(16)} ${stateOf(each).padEnd(8)} ${each.connected ? 'connected' : 'not connected'}  ${countriesOf(each).padEnd(13)}  ${each.name}`,
                ),
        }
      }),
    )

  const about = commandsAbout(line, LINE, getAnyLine)

  for (const [verb, status, effect] of [
    [
      'disable',
      'disabled',
      'disable a line: it does not send or deliver, its waiting and scheduled messages fail, and its webhook returns 404',
    ],
    ['enable', 'active', 'enable a disabled line, and deliver the events that were held in the meantime'],
  ] as const) {
    about(verb, effect, async (context, { id, userId, number }) => {
      await setLineStatus(context, userId, id, status)
      return { result: { id, number, status }, lines: [`line ${number} is ${status}`] }
    })
  }

  for (const [verb, effect, change] of [
    ['pause', 'pause sending on a line; new messages are accepted but wait', pauseLine],
    ['resume', 'resume sending on a line; waiting messages go out in order, within its limits', resumeLine],
  ] as const) {
    about(verb, effect, async (context, before) => {
      await change(context, COMMAND_LINE, before)
      const { id, number, pausedAt } = await getAnyLine(context, before.id)
      return { result: { id, number, pausedAt }, lines: [`line ${number} is ${verb}d`] }
    })
  }

  about(
    'change',
    'change the countries, limits or carrier account of a line',
    async (context, before, options: LimitOptions & { carrier?: string }) => {
      const { carrier } = options
      const changes = { ...limitsOf(options), ...(carrier === undefined ? {} : { carrierAccount: carrier }) }
      if (Object.keys(changes).length === 0)
        throw new UserError('Give at least one of --countries, --per-number, --per-minute and --carrier')
      await changeLine(context, before, changes)
      const after = await getAnyLine(context, before.id)
      const { id, number, carrierAccount, messagesPerNumberPerMinute, messagesPerMinute } = after
      const { allowedCountries } = after
      return {
        result: {
          id,
          number,
          carrierAccount,
          allowedCountries,
          messagesPerNumberPerMinute,
          messagesPerMinute,
        },
        lines: [
          `line ${number} may send to ${countriesOf(after)}, ${messagesPerNumberPerMinute} messages per minute to one number and ${messagesPerMinute} in total, by ${carrierAccount}`,
        ],
      }
    },
    (command) =>
      command
        .option('--countries <codes>', 'countries it may send to, such as US,CA, or all')
        .option('--per-number <count>', 'messages per minute to one number', wholeNumber)
        .option('--per-minute <count>', 'messages per minute in total', wholeNumber)
        .option('--carrier <name>', 'its carrier account; only this one and its routes can receive for it'),
  )

  about('try-messages-now', 'retry all waiting messages now', async (context, { id, userId }) => {
    const count = await tryLineMessagesNow(context, userId, id)
    return { result: { id, count }, lines: [`retrying ${count} messages now`] }
  })

  about(
    'routes',
    'show or set the carrier accounts a line sends through before its own',
    async (context, before, written: string[], { none = false }: { none?: boolean }) => {
      if (written.length > 0 || none) await setRoutes(context, before, none ? [] : written.map(readRoute))
      const { id, number, routes, carrierAccount } = await getAnyLine(context, before.id)
      return {
        result: { id, number, carrierAccount, routes },
        lines: [...routes.map(writeRoute), carrierAccount].map((route, n) => `${n + 1}. ${route}`),
      }
    },
    (command) =>
      command
        .argument(
          '[routes...]',
          'in order of preference: backup for all numbers, backup:GB,+1416 for a country or prefix',
        )
        .option('--none', 'send only through its own account'),
  )

  about(
    'short-codes',
    'show or set which short codes a line may text (they can be expensive)',
    async (context, before, codes: string[], { none = false }: { none?: boolean }) => {
      if (codes.length > 0 || none) await setShortCodes(context, before, none ? [] : codes)
      const { id, number, shortCodes } = await getAnyLine(context, before.id)
      const words = shortCodes?.join(', ') ?? 'no short codes'
      return {
        result: { id, number, shortCodes: shortCodes ?? [] },
        lines: [`line ${number} may text ${words}`],
      }
    },
    (command) =>
      command.argument('[codes...]', 'short codes of 3 to 8 digits').option('--none', 'allow none'),
  )

  about(
    'cap',
    'set how many segments a line may send per day (UTC), or none',
    async (context, { id, userId, number }, segments: string) => {
      const segmentsPerDay = readCap(segments)
      await setSpendCap(context, { of: 'line', id, userId }, segmentsPerDay)
      return {
        result: { id, number, segmentsPerDay },
        lines: [`line ${number} may send ${capWords(segmentsPerDay)}`],
      }
    },
    (command) => command.argument('<segments>', 'a whole number, or none for no cap'),
  )

  about(
    'monthly-cap',
    'set how much a line may spend per month (UTC), or none',
    async (context, { id, userId, number }, amount: string) => {
      const money = readMonthlyCap(amount)
      await setMonthlyCap(context, { of: 'line', id, userId }, money)
      return {
        result: { id, number, amountPerMonth: money },
        lines: [`line ${number} ${monthlyCapWords(money)}`],
      }
    },
    (command) => command.argument('<amount>', "such as '50 USD', or none for no cap"),
  )
}

/** The argument of commands about a line. */
export const LINE = ['<line>', 'ID or number'] as const

export function monthlyCapWords(money: Money | null): string {
  return money === null ? 'may spend any amount per month' : `may spend ${moneyOf(money)} per month`
}

export function capWords(segmentsPerDay: number | null): string {
  return segmentsPerDay === null ? 'any number of segments per day' : `${segmentsPerDay} segments per day`
}

function stateOf({ status, pausedAt }: Pick<Line, 'status' | 'pausedAt'>): string {
  return status === 'active' && pausedAt !== null ? 'paused' : status
}
