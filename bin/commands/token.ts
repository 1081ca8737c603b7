import type { Command } from 'commander'
import { listApiTokens, type ApiToken } from '../../src/database/people/api-tokens.js'
import { createApiToken, MAX_EXPIRY_DAYS, removeApiToken } from '../../src/domain/people/api-tokens.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { wholeNumber } from '../whole-number.js'
import { run } from '../run.js'

interface CreateOptions {
  expiresInDays?: number
  readOnly?: boolean
  line?: string
  json?: boolean
}

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description("API tokens for users' programs")

  token
    .command('create')
    .description('create an API token and print it; it is a secret and is not shown again')
    .argument('<email>', 'the user who owns it')
    .argument('<name>', 'a name that says what it is for')
    .option(
      '--expires-in-days <days>',
      `when it expires, 1 to ${MAX_EXPIRY_DAYS} days from now (default: never)`,
      wholeNumber,
    )
    .option('--read-only', 'make it read-only, without access to secrets')
    .option('--line <line>', "limit it to one of the user's lines, given by ID or number")
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
    .description("list a user's tokens, their permissions and when they were last used")
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
              ? [`${user.email} has no tokens. Create one with \`linehook token create\`.`]
              : tokens.map(inOneLine),
        }
      }),
    )

  token
    .command('revoke')
    .description('revoke a token; requests with it are then refused')
    .argument('<email>', 'the user who owns it')
    .argument('<id>', 'its ID, as printed by `token list`')
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
