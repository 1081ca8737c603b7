import { conformsToCarrier } from '../conformance.js'
import { createTestHttp } from './carrier.js'
import { refuse, settingsFor, startStandIn } from './stand-in.js'

const REJECTED = '+15005550001'
const THROTTLED = '+15005550002'
const UNAVAILABLE = '+15005550003'
const OUTCOME_UNKNOWN = '+15005550004'
const NEVER_ANSWERS = '+15005550005'
const TAKES = '+15005550006'

for (const format of ['json', 'form'] as const) {
  describe(`written as ${format}`, () => {
    conformsToCarrier(
      'http',
      async () => {
        const standIn = await startStandIn()
        standIn.behave(REJECTED, refuse(422, `${REJECTED} is no number`))
        standIn.behave(THROTTLED, refuse(429, 'too fast', { 'Retry-After': '1' }))
        standIn.behave(UNAVAILABLE, refuse(403, 'account suspended'))
        standIn.behave(OUTCOME_UNKNOWN, refuse(502))
        standIn.behave(NEVER_ANSWERS, () => undefined)
        const { carrier, close } = createTestHttp(settingsFor(standIn.url, { format }))
        return {
          carrier,
          taken: () =>
            Promise.resolve(
              standIn.taken.map(({ id, body }) => ({
                carrierMessageId: id,
                messageId: String(body.id),
                fromNumber: String(body.from),
                toNumber: String(body.to),
                text: (body.text as string | undefined) ?? null,
                mediaUrls: [body.mediaUrl ?? []].flat() as string[],
              })),
            ),
          situations: {
            rejected: { toNumber: REJECTED },
            throttled: { toNumber: THROTTLED },
            throttledNoMore: { toNumber: TAKES },
            unavailable: { toNumber: UNAVAILABLE },
            unavailableNoMore: { toNumber: TAKES },
            outcomeUnknown: { toNumber: OUTCOME_UNKNOWN },
            neverAnswers: { toNumber: NEVER_ANSWERS },
          },
          close: async () => {
            await close()
            await standIn.close()
          },
        }
      },
      { mostMedia: 1 },
    )
  })
}
