import type { Command } from 'commander'
import {
  addCarrierAccount,
  getCarrierAccount,
  listAccountOverviews,
  removeCarrierAccount,
  type ListedCarrierAccount,
} from '../../src/domain/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../src/domain/carriers/accounts/change.js'
import { SetUpByHand, setUpNumbers } from '../../src/domain/carriers/accounts/numbers.js'
import { testCallbacks } from '../../src/domain/carriers/accounts/callbacks-test.js'
import { getCarrierKind } from '../../src/domain/carriers/accounts/kinds.js'
import { listSettingFields } from '../../src/domain/carriers/accounts/settings.js'
import { listCallbackUrls, type CallbackUrl } from '../../src/domain/carriers/callback-urls.js'
import { viewPhones, type PhoneView } from '../../src/domain/carriers/accounts/phones.js'
import { viewSessions, type ListedSessions } from '../../src/domain/carriers/accounts/sessions.js'
import { testCarrierAccount } from '../../src/domain/carriers/accounts/carrier-test.js'
import { COMMAND_LINE, pauseCarrierAccount, resumeCarrierAccount } from '../../src/domain/operating/pauses.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { commandsAbout } from '../subject-command.js'
import {
  collect,
  askForRest,
  readSettingOptions,
  readSharedOptions,
  withSharedOptions,
  type SharedOptions,
} from './carrier-options.js'

export function addCarrierCommands(program: Command): void {
  const carrier = program
    .command('carrier')
    .description('carrier accounts that lines use to send and receive')

  withSharedOptions(
    carrier
      .command('add')
      .description('add a carrier account; its settings are encrypted at rest')
      .argument('<name>', 'a name such as telnyx or twilio-main, which cannot be changed later')
      .option('--kind <kind>', 'the carrier, such as twilio (default: the name)')
      .option('--json', 'print JSON'),
  ).action((name: string, options: SharedOptions & { kind?: string }) =>
    run(options, async (context) => {
      const kind = options.kind ?? name
      const given = await readSettingOptions(options.set)
      const settings = {
        ...given,
        ...(await askForRest(listSettingFields(getCarrierKind(context, kind)), given)),
      }
      const added = await addCarrierAccount(context, { name, kind, settings, ...readSharedOptions(options) })
      const urls = await listCallbackUrls(context, added)
      return {
        result: { ...added, callbackUrls: urls },
        lines: [
          `carrier account ${name} added. Test it with \`linehook carrier test ${name}\``,
          ...urls.map(urlLine),
        ],
      }
    }),
  )

  carrier
    .command('list')
    .description('list all accounts with their lines, last test, sessions and phones')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(options, async (context) => {
        const accounts = await listAccountOverviews(context)
        return { result: accounts, lines: accounts.map(lineOf) }
      }),
    )

  const about = commandsAbout(carrier, ['<name>', 'name of the account'], getCarrierAccount)

  about(
    'test',
    'test an account without sending anything, and say what is wrong',
    async (context, account) => {
      const { name } = account
      const result = await testCarrierAccount(context, account)
      if (!result.ok) throw new UserError(`${name} does not work: ${result.fault}`)
      const fault = await testCallbacks(context, account)
      const lines = fault === undefined ? [] : [`Callbacks do not reach this service: ${fault}`]
      return { result: { name, ok: true, callbackFault: fault ?? null }, lines: [`${name} works`, ...lines] }
    },
  )

  about(
    'change',
    'change settings, pace or opt-out handling; omitted options stay unchanged',
    async (context, account, options: SharedOptions & { unset: string[] }) => {
      const { name } = account
      const settings = await readSettingOptions(options.set)
      const { unset } = options
      await changeCarrierAccount(context, account, { settings, unset, ...readSharedOptions(options) })
      return {
        result: await getCarrierAccount(context, name),
        lines: [`carrier account ${name} changed. Test it with \`linehook carrier test ${name}\``],
      }
    },
    (command) =>
      withSharedOptions(command.option('--unset <key>', 'a setting to remove; can be repeated', collect, [])),
  )

  about(
    'setup',
    "set up callbacks at the carrier for the account's lines or the given numbers",
    async (context, account, numbers: string[]) => {
      const done = await setUpNumbers(context, account, numbers.length === 0 ? undefined : numbers).catch(
        (error: unknown) => {
          if (!(error instanceof SetUpByHand)) throw error
          throw new UserError([`${error.message}:`, ...error.urls.map(urlLine)].join('\n'))
        },
      )
      return {
        result: { name: account.name, numbers: done },
        lines: done.map((number) => `${number} set up`),
      }
    },
    (command) => command.argument('[numbers...]', 'numbers in E.164 format (default: those of its lines)'),
  )

  for (const [verb, effect, change] of [
    [
      'pause',
      'pause sending on all lines of an account; new messages are accepted but wait',
      pauseCarrierAccount,
    ],
    ['resume', 'resume sending on all lines of an account', resumeCarrierAccount],
  ] as const) {
    about(verb, effect, async (context, account) => {
      await change(context, COMMAND_LINE, account)
      const { name, pausedAt } = await getCarrierAccount(context, account.name)
      return { result: { name, pausedAt }, lines: [`carrier account ${name} is ${verb}d`] }
    })
  }

  about('remove', 'remove an account that has no lines, and its credentials', async (context, account) => {
    await removeCarrierAccount(context, account)
    const { name } = account
    return { result: { name, removed: true }, lines: [`carrier account ${name} removed`] }
  })
}

function urlLine({ label, url }: CallbackUrl): string {
  return `${label}: ${url}`
}

function lineOf(account: ListedCarrierAccount): string {
  const { name, kind, lineCount, messagesPerSecond, messagesPerSecondPerLine } = account
  const lines = lineCount === 1 ? '1 line' : `${lineCount} lines`
  const pace = `${perSecond(messagesPerSecond)} in total, ${perSecond(messagesPerSecondPerLine)} per line`
  const states = [
    ...(account.pausedAt === null ? [] : [`paused since ${account.pausedAt.toISOString()}`]),
    testOf(account),
    ...(account.sessions === null ? [] : [sessionsOf(account.sessions)]),
    ...viewPhones(account).map(phoneOf),
  ]
  return `${name.padEnd(20)} ${kind.padEnd(10)} ${lines.padEnd(9)} ${pace}  ${states.join('  ')}`
}

function perSecond(pace: number | null): string {
  return pace === null ? 'no limit' : `${pace}/s`
}

function testOf({ lastTestedAt, lastTestFault, lastTestedVersion, version }: ListedCarrierAccount): string {
  if (lastTestedAt === null) return 'not tested yet'
  const outcome = lastTestFault === null ? 'passed' : `failed (${lastTestFault})`
  return `${outcome} ${lastTestedAt.toISOString()}${lastTestedVersion === version ? '' : ', before the last change'}`
}

function sessionsOf(sessions: ListedSessions): string {
  const { words, since, lastError } = viewSessions(sessions)
  const sinceWhen = since === undefined ? '' : ` since ${since.toISOString()}`
  const error =
    lastError === undefined ? '' : ` (last error ${lastError.at.toISOString()}: ${lastError.text})`
  return words + sinceWhen + error
}

function phoneOf({ battery, isAway, contactAt }: PhoneView): string {
  return [
    'phone',
    isAway && ' offline',
    battery && ` ${battery}`,
    `, last contact ${contactAt.toISOString()}`,
  ]
    .filter(Boolean)
    .join('')
}
