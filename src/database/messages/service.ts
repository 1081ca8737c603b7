import type { Database } from '../connection.js'
import type { Line } from '../lines.js'

/** A message that the service sends from a line by itself, queued. */
export async function insertServiceMessage(
  db: Database,
  message: { id: string; line: Line; toNumber: string; text: string },
): Promise<void> {
  await db.raw('select lock_line(?)', [message.line.id])
  await db('messages').insert({
    id: message.id,
    user_id: message.line.userId,
    line_id: message.line.id,
    direction: 'outbound',
    source: 'service',
    from_number: message.line.number,
    to_number: message.toNumber,
    text: message.text,
    status: 'queued',
  })
}
