import type { Command } from 'commander'
import { listUsers } from '../../src/database/people/users.js'
import { getAnyLine, listOwnLines } from '../../src/domain/lines/lines.js'
import { flattenUsage, readMonths, readUsage } from '../../src/domain/messages/spending/usage.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { run } from '../run.js'
import { table } from '../terminal.js'

interface UsageOptions {
  user?: string
  line?: string
  from?: string
  until?: string
  json?: boolean
  csv?: boolean
}

/** The query counts all messages of some months. */
const STATEMENT_MS = 60_000

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('show what lines sent and what it cost according to carriers, by month (UTC)')
    .option('--user <email>', "only this user's lines")
    .option('--line <line>', 'only this line, by ID or number')
    .option('--from <month>', 'the first month, such as 2026-09 (default: two months before --until)')
    .option('--until <month>', 'the last month (default: the current one)')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action((options: UsageOptions) =>
      run(
        options,
        async (context) => {
          const months = readMonths(options)
          const line = options.line === undefined ? undefined : await getAnyLine(context, options.line)
          const users =
            options.user === undefined
              ? await listUsers(context.db)
              : [await getUserByEmail(context, options.user)]
          const rows = []
          for (const { id, email } of users.filter(({ id }) => line === undefined || line.userId === id)) {
            const numbers = new Map((await listOwnLines(context, id)).map((each) => [each.id, each.number]))
            const lineIds = line === undefined ? undefined : [line.id]
            const usage = await readUsage(context, id, { ...months, lineIds })
            for (const { month, lineId, ...row } of flattenUsage(usage)) {
              rows.push({ month, email, lineId, lineNumber: numbers.get(lineId) ?? '', ...row })
            }
          }
          return {
            result: rows,
            lines:
              rows.length === 0 ? ['Nothing was sent in these months.'] : table([HEAD, ...rows.map(shown)]),
          }
        },
        { statementTimeoutMs: STATEMENT_MS },
      ),
    )
}

const HEAD = ['month', 'user', 'line', 'messages', 'segments', 'cost']

interface Row {
  month: string
  email: string
  lineId: string
  lineNumber: string
  messageCount: number
  segmentCount: number
  price: string
  currency: string
}

/** Each additional currency has a row of its own; the counts are only in the first row. */
function shown(row: Row, n: number, rows: readonly Row[]): string[] {
  const { month, email, lineId, lineNumber, messageCount, segmentCount, price, currency } = row
  const before = rows[n - 1]
  const isFurther = before?.month === month && before.lineId === lineId
  const counts = isFurther ? ['', ''] : [String(messageCount), String(segmentCount)]
  return [month, email, lineNumber, ...counts, `${price} ${currency}`.trim()]
}
