import type { Command } from 'commander'
import { listApiTokens, type ApiToken } from '../../src/database/people/api-tokens.js'
import { createApiToken, MAX_EXPIRY_DAYS, removeApiToken } from '../../src/domain/people/api-tokens.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { wholeNumber } from './line.js'
import { run } from '../run.js'

interface CreateOptions {
  expiresInDays?: number
  readOnly?: boolean
  line?: string
  json?: boolean
}

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description("tokens with which a user's programs call the API")

  token
    .command('create')
    .description('create one and print it; it is a secret and is not shown again')
    .argument('<email>', 'the user who owns it')
    .argument('<name>', 'what will use it')
    .option(
      '--expires-in-days <days>',
      `end it by itself, 1 to ${MAX_EXPIRY_DAYS} days from now (default: never)`,
      wholeNumber,
    )
    .option('--read-only', 'let it read, and neither change, send, nor see secrets')
    .option('--line <line>', 'let it do so for one of the user’s lines only: its id or number')
    .option('--json', 'print JSON')
    .action((email: string, name: string, options: CreateOptions) =>
      run(options, async (context) => {
        const { id } = await getUserByEmail(context, email)
        const { expiresInDays = null, readOnly = false, line } = options
        const created = await createApiToken(context, id, name, {
          expiresInDays,
          isReadOnly: readOnly,
          lineId: line === undefined ? null : (await getAnyLine(context, line)).id,
        })
        return { result: created, lines: [created.token] }
      }),
    )

  token
    .command('list')
    .description("list a user's tokens, what they may do, and when they were used last")
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
              : tokens.map(inOneLine),
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

/** Returns the token with its rights after the name, unless it may do everything. */
function inOneLine({ id, name, lastUsedAt, expiresAt, isExpired, isReadOnly, lineName }: ApiToken): string {
  const lesser = [
    ...(isReadOnly ? ['read only'] : []),
    ...(lineName === null ? [] : [`line ${lineName}`]),
    ...(expiresAt === null
      ? []
      : [`${isExpired ? 'expired' : 'expires'} ${expiresAt.toISOString().slice(0, 10)}`]),
  ]
  const used = (lastUsedAt?.toISOString() ?? 'not used yet').padEnd(24)
  return `${id}  ${used}  ${name}${lesser.length === 0 ? '' : `  (${lesser.join(', ')})`}`
}
