import type { Command } from 'commander'
import { listContactsOf } from '../../src/database/lines/contacts.js'
import { readContactNumber, saveContact, type Contact } from '../../src/domain/lines/contacts.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { maskNumber, printable, table } from '../terminal.js'
import { wholeNumberBetween } from '../whole-number.js'

const PAGE_SIZE = 100
const MAX_PAGE = 100_000

interface ListOptions {
  user: string
  blocked?: boolean
  page: number
  numbers?: boolean
  json?: boolean
}

interface SetOptions {
  user: string
  name?: string
  block?: boolean
  unblock?: boolean
  json?: boolean
}

export function addContactCommands(program: Command): void {
  const contact = program.command('contact').description('names and blocks that users give to numbers')

  contact
    .command('list')
    .description("list a user's contacts, oldest first")
    .requiredOption('--user <email>', 'the user')
    .option('--blocked', 'only blocked numbers')
    .option('--page <number>', `the page, of ${PAGE_SIZE} contacts each`, wholeNumberBetween(1, MAX_PAGE), 1)
    .option('--numbers', 'show whole phone numbers')
    .option('--json', 'print JSON')
    .action((options: ListOptions) =>
      run(options, async (context) => {
        const { id } = await getUserByEmail(context, options.user)
        const page = { offset: (options.page - 1) * PAGE_SIZE, limit: PAGE_SIZE }
        const contacts = await listContactsOf(context.db, id, { isBlocked: options.blocked }, page)
        const rows = contacts.map((each) => rowOf(each, options.numbers))
        const lines = rows.length === 0 ? ['There are no contacts on this page.'] : table(rows)
        return { result: contacts.map((each) => shownContact(each, options.numbers)), lines }
      }),
    )

  contact
    .command('set')
    .description('name or block a number; messages from a blocked number are stored but create no events')
    .argument('<number>', 'a number such as +15551234567, or the short code or name of a sender')
    .requiredOption('--user <email>', 'the user whose contact it is')
    .option('--name <name>', 'the name; an empty value removes it')
    .option('--block', 'block it')
    .option('--unblock', 'unblock it, so that its messages create events again')
    .option('--json', 'print JSON')
    .action((written: string, options: SetOptions) =>
      run(options, async (context) => {
        const { name, block = false, unblock = false } = options
        if (block && unblock) throw new UserError('Give either --block or --unblock, not both')
        if (name === undefined && !block && !unblock) throw new UserError('Give --name, --block or --unblock')
        const { id } = await getUserByEmail(context, options.user)
        const blocked = block || unblock ? block : undefined
        const saved = await saveContact(context, id, readContactNumber(written), { name, blocked })
        return { result: shownContact(saved), lines: table([rowOf(saved)]) }
      }),
    )
}

/** The fields have the names of `/v1`. */
function shownContact({ id, name, number, blockedAt, createdAt }: Contact, areWhole = false) {
  const phoneNumber = areWhole ? number : maskNumber(number)
  return { id, name, phoneNumber, blocked: blockedAt !== null, createdAt }
}

function rowOf({ number, name, blockedAt }: Contact, areWhole = false): string[] {
  return [
    areWhole ? printable(number) : maskNumber(number),
    blockedAt === null ? '' : 'blocked',
    printable(name ?? ''),
  ]
}
