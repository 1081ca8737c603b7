import { transaction } from '../../database/connection.js'
import { updateLineShortCodes, type Line } from '../../database/lines/lines.js'
import { UserError } from '../../errors.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import type { Context } from '../context.js'
import { record } from '../operating/audit.js'
import { requireOwn } from './lines.js'

/** No line needs more in practice; each is compared with the number of every message. */
const MAX_SHORT_CODES = 50

/**
 * Sets the short codes that a line may text; with none it may text none. They are named one by one, because a text to
 * one may cost what a premium number does.
 *
 * @throws UserError 400 naming the code, 404 if the user has no such line
 */
export async function setShortCodes(
  context: Context,
  { userId, id }: Pick<Line, 'userId' | 'id'>,
  written: readonly string[],
): Promise<void> {
  const codes = [...new Set(written.map((each) => each.trim()))]
  const wrong = codes.find((each) => senderKindOf(each) !== 'short_code')
  if (wrong !== undefined) throw new UserError(`${wrong} is not a short code. It must have 3 to 8 digits`)
  if (codes.length > MAX_SHORT_CODES)
    throw new UserError(`A line can have at most ${MAX_SHORT_CODES} short codes`)
  await transaction(context.db, async (trx) => {
    const before = await requireOwn(trx, userId, id)
    await updateLineShortCodes(trx, id, codes)
    const change = { before: { shortCodes: before.shortCodes ?? [] }, after: { shortCodes: codes } }
    await record(context, trx, { action: 'line.short_codes.set', subjectId: id, userId, ...change })
  })
}
