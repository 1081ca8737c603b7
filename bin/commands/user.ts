import type { Command } from 'commander'
import { addUser } from '../../src/domain/users.js'
import { run } from '../run.js'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who own lines')

  user
    .command('add')
    .description('add a user')
    .argument('<email>', 'e-mail address, which names the user')
    .option('--name <name>', 'name to show; the address when left out')
    .option('--json', 'print JSON')
    .action((email: string, options: { name?: string; json?: boolean }) =>
      run(options, async (context) => {
        const added = await addUser(context, {
          email,
          ...(options.name === undefined ? {} : { name: options.name }),
        })
        return { result: added, lines: [`user ${added.email} added (${added.id})`] }
      }),
    )
}
