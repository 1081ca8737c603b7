/**
 * What a developer writes: test/clients/typescript.test.ts compiles this in a folder of its own, in which the packed client
 * is installed, and runs it. It is not part of this project's own types.
 */
import { Linehook, LinehookError, sendByWebhook, verify } from 'linehook-client'
import type { Message, MessageStatusPayload, WebhookEvent } from 'linehook-client'

const { LINEHOOK_URL = '', TOKEN = '', WEBHOOK_URL = '' } = process.env
const linehook = new Linehook({ url: LINEHOOK_URL, token: () => Promise.resolve(TOKEN) })

const [line] = await linehook.listLines()
if (line === undefined) throw new Error('there is no line')

const body = { lineId: line.id, toNumber: '+15005550199', text: 'He said: "5 $ \\ 3" 😀' }
const first: Message = await linehook.sendMessage(body, { idempotencyKey: 'order-1' })
const again = await linehook.sendMessage(body, { idempotencyKey: 'order-1', timeoutMs: 10_000 })
const { messageId } = await sendByWebhook(WEBHOOK_URL, {
  toNumber: '+15005550199',
  text: 'By the webhook',
  sendAt: null,
  carrierOptions: { templateId: '1007' },
})

const texts: (string | null)[] = []
for await (const { text } of linehook.iterateMessages({ lineId: line.id, limit: 1 })) texts.push(text)

const { outgoingWebhookUrl } = await linehook.changeConnection(line.id, {
  enabled: true,
  outgoingWebhookUrl: null,
})
const refused: unknown = await linehook
  .getLine('01a1f8a0-0000-7000-8000-000000000000')
  .catch((error: unknown) => error)
if (!(refused instanceof LinehookError)) throw new Error('it was not refused')

console.log(
  JSON.stringify({
    sameId: first.id === again.id,
    hasMessageId: messageId.length === 36,
    texts,
    outgoingWebhookUrl,
    status: refused.status,
    detail: refused.problem?.detail,
  }),
)

/** Compiles only where the type says what else there is. */
export function read(event: WebhookEvent): string {
  switch (event.type) {
    case 'messageStatus':
      return (JSON.parse(event.payload) as MessageStatusPayload).status
    case 'optOut': {
      const change: 'optedOut' | 'optedIn' = event.payload
      return change
    }
    case 'inboundText':
    case 'inboundMedia':
    case 'voiceMail':
    case 'missedCall':
    case 'lineDisconnected':
      return event.payload + event.lineId
  }
}

export async function misuse(): Promise<void> {
  // @ts-expect-error -- there is no such field
  await linehook.sendMessage({ ...body, colour: 'red' })
  // @ts-expect-error -- a message goes to a number
  await linehook.sendMessage({ lineId: body.lineId, text: 'x' })
  // @ts-expect-error -- only what sends takes a key
  await linehook.listLines({}, { idempotencyKey: 'x' })
  // @ts-expect-error -- a key is needed
  await verify('{}', new Headers())
}
