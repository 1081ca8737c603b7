import type { Command } from 'commander'
import { listUsers } from '../../src/database/users.js'
import { createSetUpLink } from '../../src/domain/set-up-links.js'
import { readCap, setSpendCap } from '../../src/domain/spend-caps.js'
import { addUser, getUserByEmail } from '../../src/domain/users.js'
import { run } from '../run.js'
import { capWords } from './line.js'

interface AddOptions {
  name?: string
  operator?: boolean
  json?: boolean
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who own lines')

  user
    .command('add')
    .description('add a user and print a link to set a password with, once, within 7 days')
    .argument('<email>', 'e-mail address, which names the user')
    .option('--name <name>', 'name to show; the address when left out')
    .option('--operator', 'somebody who runs the service')
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

  user
    .command('set-up-link')
    .description('print a new link to set a password with; the one before ends')
    .argument('<email>', 'e-mail address')
    .option('--json', 'print JSON')
    .action((email: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id } = await getUserByEmail(context, email)
        const setUpLink = await createSetUpLink(context, id)
        return { result: setUpLink, lines: [setUpLink.url] }
      }),
    )

  user
    .command('cap')
    .description('set how many segments all lines of a user may send a day (UTC), or none')
    .argument('<email>', 'e-mail address')
    .argument('<segments>', 'a whole number, or none')
    .option('--json', 'print JSON')
    .action((email: string, segments: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id } = await getUserByEmail(context, email)
        const segmentsPerDay = readCap(segments)
        await setSpendCap(context, { of: 'user', id }, segmentsPerDay)
        return {
          result: { id, email, segmentsPerDay },
          lines: [`all lines of ${email} together may send ${capWords(segmentsPerDay)}`],
        }
      }),
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
              ? ['There are no users: add one with `linehook user add`.']
              : users.map(
                  ({ id, role, hasPassword, email, name }) =>
                    `${id}  ${role.padEnd(8)} ${hasPassword ? 'set up    ' : 'not set up'}  ${email}  ${name}`,
                ),
        }
      }),
    )
}
