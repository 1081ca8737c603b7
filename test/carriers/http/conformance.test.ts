import { conformsToCarrier } from '../conformance.js'
import { createTestHttp } from './carrier.js'
import { refuse, settingsFor, startProvider } from './provider.js'

const REJECTED = '+15005550001'
const THROTTLED = '+15005550002'
const UNAVAILABLE = '+15005550003'
const OUTCOME_UNKNOWN = '+15005550004'
const NEVER_ANSWERS = '+15005550005'
const TAKES = '+15005550006'

for (const format of ['json', 'form'] as const) {
  describe(`written as ${format}`, () => {
    conformsToCarrier('http', async () => {
      const provider = await startProvider()
      provider.behave(REJECTED, refuse(422, `${REJECTED} is no number`))
      provider.behave(THROTTLED, refuse(429, 'too fast', { 'Retry-After': '1' }))
      provider.behave(UNAVAILABLE, refuse(403, 'account suspended'))
      provider.behave(OUTCOME_UNKNOWN, refuse(502))
      provider.behave(NEVER_ANSWERS, () => undefined)
      const { carrier, close } = createTestHttp(settingsFor(provider.url, { format }))
      return {
        carrier,
        taken: () =>
          Promise.resolve(
            provider.taken.map(({ id, body }) => ({
              carrierMessageId: id,
              messageId: String(body.id),
              fromNumber: String(body.from),
              toNumber: String(body.to),
              text: (body.text as string | undefined) ?? null,
              mediaUrl: (body.mediaUrl as string | undefined) ?? null,
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
          await provider.close()
        },
      }
    })
  })
}
