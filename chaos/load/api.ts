import { saysUnknown, type PostedText } from '../ledger.js'
import { now, type Shift } from './shift.js'

/** Posts a message by `POST /v1/messages`. */
export async function postToApi(
  { caller, installation, ledger }: Shift,
  about: Pick<PostedText, 'kind' | 'conversation' | 'sequence'>,
  asked: { lineId: string; toNumber: string; text: string; mediaUrl?: string },
): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${installation.seeds.token}` }
  const postedAt = now()
  const { status, text } = await caller.post('/v1/messages', headers, JSON.stringify(asked))
  const messageId = status === 200 ? (JSON.parse(text) as { id: string }).id : ''
  const answered = { postedAt, answeredAt: now(), status, messageId, isUnknown: saysUnknown(status, text) }
  ledger.texts.push({ ...about, id: asked.text, ...answered })
}
