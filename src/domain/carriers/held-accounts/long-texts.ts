import { readTexts, type EncodedText } from '../../../carriers/alphabets/encoded-text.js'
import {
  deleteParts,
  listParts,
  listStaleTexts,
  type LongText,
  type Part,
} from '../../../database/text-parts.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { receiveMessage } from '../../messages/receive.js'

/** If the last part is this old, the missing ones will not come: no phone sends its parts so far apart. */
const STALE_MS = 600_000
/**
 * At most this many are received each minute. Stale texts are rare, and a flood of them must not crowd out other
 * work.
 */
const STALE_AT_ONCE = 100
/** The mark separates the text before it from the text after it, as no part has its coding. */
const MARK: EncodedText = { bytes: Buffer.from('[…]', 'utf16le'), coding: 'utf-16le' }

/** Makes the message if all parts have arrived: once, in whichever process took the last part. */
export async function receiveIfComplete(context: Context, longText: LongText): Promise<void> {
  const parts = onePerNumber(await listParts(context.db, longText))
  if (parts.length === longText.total) await receiveParts(context, longText, parts)
}

/** Makes a message from parts whose others never came, with a mark for what is missing. */
export async function receiveStaleTexts(context: Context): Promise<void> {
  for (const longText of await listStaleTexts(context.db, STALE_MS, STALE_AT_ONCE)) {
    const parts = onePerNumber(await listParts(context.db, longText))
    const { reference, total } = longText
    context.log.info(
      { carrier: longText.carrierAccount, reference, total, partCount: parts.length },
      'inbound.text_stale',
    )
    await receiveParts(context, longText, parts)
  }
}

async function receiveParts(context: Context, longText: LongText, parts: readonly Part[]): Promise<void> {
  const { carrierAccount, fromNumber, toNumber, total } = longText
  const ids = parts.map(({ id }) => id)
  const content = { type: 'inboundText', text: join(parts, total) } as const
  const inbound = { carrierAccount, carrierMessageId: ids[0] ?? '', fromNumber, toNumber, content }
  try {
    await receiveMessage(context, inbound, { partIds: ids })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // The line has been removed since.
    await deleteParts(context.db, ids)
  }
}

/**
 * Returns the oldest part of each number: newer ones belong to another text, for which the phone reused the
 * reference.
 */
function onePerNumber(parts: readonly Part[]): Part[] {
  const byNumber = new Map<number, Part>()
  for (const part of parts) if (!byNumber.has(part.number)) byNumber.set(part.number, part)
  return [...byNumber.values()].sort((a, b) => a.number - b.number)
}

function join(parts: readonly Part[], total: number): string {
  const byNumber = new Map(parts.map((part) => [part.number, part]))
  const pieces = Array.from({ length: total }, (_, index) => {
    const isFirstMissing = index === 0 || byNumber.has(index)
    return byNumber.get(index + 1) ?? (isFirstMissing ? MARK : [])
  })
  return readTexts(pieces.flat())
}
