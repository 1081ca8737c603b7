import type { Command } from 'commander'
import { listUsers } from '../../src/database/people/users.js'
import { createSetUpLink } from '../../src/domain/people/set-up-links.js'
import { readMonthlyCap, setMonthlyCap } from '../../src/domain/messages/spending/monthly-caps.js'
import { readCap, setSpendCap } from '../../src/domain/messages/spending/spend-caps.js'
import { resumeCountry } from '../../src/domain/messages/country-guard.js'
import { disableUser, enableUser, type Belongings } from '../../src/domain/people/disabled-users.js'
import { revokeAccess } from '../../src/domain/people/revoke-access.js'
import { removeSecondFactors } from '../../src/domain/people/second-factors.js'
import { endSessions } from '../../src/domain/people/sessions.js'
import { addUser, getUser, getUserByEmail, type User } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { commandsAbout } from '../subject-command.js'
import { capWords, monthlyCapWords } from './line.js'

interface AddOptions {
  name?: string
  operator?: boolean
  json?: boolean
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who own lines')

  user
    .command('add')
    .description('add a user and print a set-up link, which works once within 7 days')
    .argument('<email>', "the user's email address")
    .option('--name <name>', 'display name (default: the address)')
    .option('--operator', 'make the user an operator, who runs the service')
    .option('--json', 'print JSON')
    .action((email: string, options: AddOptions) =>
      run(options, async (context) => {
        const added = await addUser(context, {
          email,
          role: options.operator === true ? 'operator' : 'user',
          ...(options.name === undefined ? {} : { name: options.name }),
        })
        const setUpLink = await createSetUpLink(context, added.id)
        return {
          result: { ...added, setUpLink },
          lines: [`${added.role} ${added.email} added (${added.id})`, setUpLink.url],
        }
      }),
    )

  const about = commandsAbout(user, ['<email>', 'email address'], async (context, email) => {
    const { id } = await getUserByEmail(context, email)
    return { id, email }
  })

  about('set-up-link', 'print a new set-up link; the previous one stops working', async (context, { id }) => {
    const setUpLink = await createSetUpLink(context, id)
    return { result: setUpLink, lines: [setUpLink.url] }
  })

  about(
    'cap',
    "set how many segments a user's lines may send per day (UTC), or none",
    async (context, { id, email }, segments: string) => {
      const segmentsPerDay = readCap(segments)
      await setSpendCap(context, { of: 'user', id }, segmentsPerDay)
      return {
        result: { id, email, segmentsPerDay },
        lines: [`all lines of ${email} combined may send ${capWords(segmentsPerDay)}`],
      }
    },
    (command) => command.argument('<segments>', 'a whole number, or none for no cap'),
  )

  about(
    'monthly-cap',
    "set how much a user's lines may spend per month (UTC), or none",
    async (context, { id, email }, amount: string) => {
      const money = readMonthlyCap(amount)
      await setMonthlyCap(context, { of: 'user', id }, money)
      return {
        result: { id, email, amountPerMonth: money },
        lines: [`all lines of ${email} combined ${monthlyCapWords(money)}`],
      }
    },
    (command) => command.argument('<amount>', "such as '50 USD', or none for no cap"),
  )

  about(
    'resume-country',
    'resume messages to a country that were paused after a sudden rise',
    async (context, { id, email }, country: string) => {
      await resumeCountry(context, { id }, country)
      return {
        result: { id, email, country },
        lines: [`messages from ${email} to ${country} are accepted again`],
      }
    },
    (command) => command.argument('<country>', 'ISO 3166, such as JM'),
  )

  about(
    'disable',
    'disable a user immediately: sessions end, and API tokens and authorizations stop working',
    async (context, { id, email }, options: { stop?: boolean; goOn?: boolean }) => {
      await disableUser(context, id, readBelongings(options))
      return { result: await getUser(context, id), lines: [`user ${email} is disabled`] }
    },
    (command) =>
      command
        .option(
          '--stop',
          'also stop what they own: webhooks return 404, events are held, applications are refused',
        )
        .option('--go-on', 'keep what they own running'),
  )

  about(
    'enable',
    'enable a disabled user and everything that was stopped with them',
    async (context, { id, email }) => {
      await enableUser(context, id)
      return { result: await getUser(context, id), lines: [`user ${email} is enabled`] }
    },
  )

  about('end-sessions', 'sign a user out everywhere', async (context, { id }) => {
    const sessionCount = await endSessions(context, id)
    return { result: { id, sessionCount }, lines: [`${counted(sessionCount, 'session')} ended`] }
  })

  about(
    'remove-second-factor',
    "remove a user's lost second factor and recovery codes",
    async (context, { id, email }) => {
      const removed = await removeSecondFactors(context, id)
      const line = removed ? `the second factor of ${email} was removed` : `${email} has no second factor`
      return { result: { id, removed }, lines: [line] }
    },
  )

  about(
    'revoke-access',
    'revoke all API tokens of a user and disconnect all applications',
    async (context, { id }) => {
      const revoked = await revokeAccess(context, id)
      const tokens = counted(revoked.apiTokenCount, 'API token')
      const applications = counted(revoked.applicationCount, 'application')
      return { result: { id, ...revoked }, lines: [`${tokens} revoked, ${applications} disconnected`] }
    },
  )

  user
    .command('list')
    .description('list all users')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(options, async (context) => {
        const users = await listUsers(context.db)
        return {
          result: users,
          lines:
            users.length === 0
              ? ['There are no users. Add one with `linehook user add`.']
              : users.map(
                  (each) =>
                    `${each.id}  ${each.role.padEnd(8)} ${stateOf(each).padEnd(10)}  ${each.email}  ${each.name}`,
                ),
        }
      }),
    )
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

function stateOf({ disabledAt, hasPassword }: User): string {
  if (disabledAt !== null) return 'disabled'
  return hasPassword ? 'set up' : 'not set up'
}

/** Neither is a default: one harms the people whom the user's programs serve, and the other continues serving them. */
function readBelongings({ stop = false, goOn = false }: { stop?: boolean; goOn?: boolean }): Belongings {
  if (stop === goOn)
    throw new UserError('Give --stop to stop their lines and applications, or --go-on to keep them working')
  return stop ? 'stops' : 'goes_on'
}
