import type { Command } from 'commander'
import { listApiTokens } from '../../src/database/api-tokens.js'
import { createApiToken, removeApiToken } from '../../src/domain/api-tokens.js'
import { getUserByEmail } from '../../src/domain/users.js'
import { run } from '../run.js'

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description("tokens with which a user's programs call the API")

  token
    .command('create')
    .description('create one and print it; it is a secret and is not shown again')
    .argument('<email>', 'the user who owns it')
    .argument('<name>', 'what will use it')
    .option('--json', 'print JSON')
    .action((email: string, name: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id } = await getUserByEmail(context, email)
        const created = await createApiToken(context, id, name)
        return { result: created, lines: [created.token] }
      }),
    )

  token
    .command('list')
    .description("list a user's tokens and when they were used last")
    .argument('<email>', 'the user who owns them')
    .option('--json', 'print JSON')
    .action((email: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const user = await getUserByEmail(context, email)
        const tokens = await listApiTokens(context.db, user.id)
        return {
          result: tokens,
          lines:
            tokens.length === 0
              ? [`${user.email} has no tokens: create one with \`linehook token create\`.`]
              : tokens.map(
                  ({ id, name, lastUsedAt }) =>
                    `${id}  ${(lastUsedAt?.toISOString() ?? 'not used yet').padEnd(24)}  ${name}`,
                ),
        }
      }),
    )

  token
    .command('revoke')
    .description('delete a token: requests with it are refused')
    .argument('<email>', 'the user who owns it')
    .argument('<id>', 'its id, as `token list` prints it')
    .option('--json', 'print JSON')
    .action((email: string, id: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const user = await getUserByEmail(context, email)
        await removeApiToken(context, user.id, id)
        return { result: { id, revoked: true }, lines: [`token ${id} revoked`] }
      }),
    )
}
