import type { Command } from 'commander'
import { listApiTokens, type ApiToken } from '../../src/database/people/api-tokens.js'
import { createApiToken, MAX_EXPIRY_DAYS, removeApiToken } from '../../src/domain/people/api-tokens.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { commandsAbout } from '../subject-command.js'
import { wholeNumber } from '../whole-number.js'

interface CreateOptions {
  expiresInDays?: number
  readOnly?: boolean
  line?: string
}

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description("API tokens for users' programs")

  const about = commandsAbout(token, ['<email>', 'email address of the owner'], getUserByEmail)

  about(
    'create',
    'create an API token and print it; it is a secret and is not shown again',
    async (context, { id }, name: string, options: CreateOptions) => {
      const { expiresInDays = null, readOnly = false, line } = options
      const created = await createApiToken(context, id, name, {
        expiresInDays,
        isReadOnly: readOnly,
        lineId: line === undefined ? null : (await getAnyLine(context, line)).id,
      })
      return { result: created, lines: [created.token] }
    },
    (command) =>
      command
        .argument('<name>', 'a name that says what it is for')
        .option(
          '--expires-in-days <days>',
          `when it expires, 1 to ${MAX_EXPIRY_DAYS} days from now (default: never)`,
          wholeNumber,
        )
        .option('--read-only', 'make it read-only, without access to secrets')
        .option('--line <line>', "limit it to one of the user's lines, given by ID or number"),
  )

  about(
    'list',
    "list a user's tokens, their permissions and when they were last used",
    async (context, user) => {
      const tokens = await listApiTokens(context.db, user.id)
      const none = `${user.email} has no tokens. Create one with \`linehook token create\`.`
      return { result: tokens, lines: tokens.length === 0 ? [none] : tokens.map(inOneLine) }
    },
  )

  about(
    'revoke',
    'revoke a token; requests with it are then refused',
    async (context, user, id: string) => {
      await removeApiToken(context, user.id, id)
      return { result: { id, revoked: true }, lines: [`token ${id} revoked`] }
    },
    (command) => command.argument('<id>', 'its ID, as printed by `token list`'),
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
