import { BY_NUMBER, conformsToCarrier, NUMBERS } from '../conformance.js'
import { createTestHttp } from './carrier.js'
import { refuse, settingsFor, startStandIn } from './stand-in.js'

for (const format of ['json', 'form'] as const) {
  describe(`written as ${format}`, () => {
    conformsToCarrier(
      'http',
      async () => {
        const standIn = await startStandIn()
        standIn.behave(NUMBERS.rejected, refuse(422, `${NUMBERS.rejected} is no number`))
        standIn.behave(NUMBERS.throttled, refuse(429, 'too fast', { 'Retry-After': '1' }))
        standIn.behave(NUMBERS.unavailable, refuse(403, 'account suspended'))
        standIn.behave(NUMBERS.outcomeUnknown, refuse(502))
        standIn.behave(NUMBERS.neverAnswers, () => undefined)
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
          situations: BY_NUMBER,
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
