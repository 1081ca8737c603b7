import { expect } from 'chai'
import { pauseCountry } from '../../../src/database/messages/country-guard.js'
import type { Context } from '../../../src/domain/context.js'
import { simulator } from '../../../src/carriers/simulator.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { postMessage } from '../../../src/domain/messages/post.js'
import { isBacklogFull } from '../../../src/domain/messages/submit/backlog.js'
import { describeContext } from '../../helpers/context.js'
import { lineForEachTest } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { until } from '../../helpers/until.js'
import { changeRows, countRows, submit, UNLIMITED } from '../fixtures.js'
import { expectRefusal } from '../refusal.js'

const TO = '+447400123456'

describeContext('a repeat with its Idempotency-Key', (context) => {
  const line = lineForEachTest(context, UNLIMITED)

  interface Sending {
    key: string
    expiresAt?: Date
    by?: Context
  }
  const post = async ({ key, expiresAt, by = context }: Sending) => {
    const { userId, lineId } = line
    const sent = { userId, lineId, applicationId: undefined, toNumber: TO, text: 'Your code is 1234' }
    return (await postMessage(by, { ...sent, idempotencyKey: key, expiresAt })).id
  }
  const webhook = async ({ key, expiresAt, by = context }: Sending) =>
    (await submit(by, line.lineId, { toNumber: TO, idempotencyKey: key, expiresAt })).messageId

  const pause = () =>
    pauseCountry(context.db, { userId: line.userId, country: 'GB', accepted: 340, usual: 12 })
  const disallow = () => changeRows(context, 'lines', line.lineId, { allowed_countries: ['US'] })
  const disable = () => setLineStatus(context, line.userId, line.lineId, 'disabled')

  for (const [by, send, changes] of [
    ['/v1', post, { pause, disallow, disable }],
    ['the webhook', webhook, { pause, disallow }],
  ] as const) {
    it(`is answered by ${by} as the first was after its expiresAt, and another message is refused`, async () => {
      const expiresAt = new Date(Date.now() + 2500)
      const first = await send({ key: 'k', expiresAt })
      await until('its time is over', () => Date.now() > expiresAt.getTime())
      expect(await send({ key: 'k', expiresAt })).to.equal(first)
      const count = await countRows(context, 'messages')
      await expectRefusal(send({ key: 'another', expiresAt }), 400, 'expiresAt must be in the future')
      expect(await countRows(context, 'messages')).to.equal(count)
    })

    for (const [name, change] of Object.entries(changes)) {
      it(`is answered by ${by} as the first was when the line may not send any more (${name})`, async () => {
        const first = await send({ key: 'k' })
        await change()
        expect(await send({ key: 'k' })).to.equal(first)
        await expectRefusal(send({ key: 'another' }), 403)
      })
    }
  }

  it('is answered by /v1 as the first was, without another look at its media', async () => {
    const { userId, lineId } = line
    const url = 'https://pictures.example/a.png'
    let fault: string | undefined
    let looks = 0
    const safeFetch = Object.assign(Object.create(context.safeFetch) as Context['safeFetch'], {
      explainUrl: () => {
        looks += 1
        return Promise.resolve(fault)
      },
    })
    const picture = (idempotencyKey: string | undefined, carriers = context.carriers, mediaUrl = url) =>
      postMessage(
        { ...context, safeFetch, carriers },
        { userId, lineId, applicationId: undefined, toNumber: TO, text: undefined, mediaUrl, idempotencyKey },
      )
    const withoutMedia = {
      ...context.carriers,
      kinds: new Map([['simulator', { ...simulator, media: undefined }]]),
    }
    const { id } = await picture('k')

    fault = 'the host name does not exist'
    expect((await picture('k', withoutMedia)).id).to.equal(id)
    expect(looks).to.equal(1)
    await expectRefusal(picture('k', undefined, `${url}?another`), 422)
    for (const key of ['another', undefined]) await expectRefusal(picture(key), 400, `mediaUrl: ${fault}`)
    fault = undefined
    const words = 'mediaUrl: Simulator cannot send media. Send fewer files, or a link in the text'
    for (const key of ['another', undefined]) await expectRefusal(picture(key, withoutMedia), 400, words)
  })

  it('is answered by /v1 as the first was while too many messages wait, and another is not accepted', async () => {
    const first = await post({ key: 'k' })
    const by = { ...context, config: { ...context.config, maxQueuedMessages: 1 } }
    await until('it is full', () => isBacklogFull(by))
    expect(await post({ key: 'k', by })).to.equal(first)
    const another = await failure(post({ key: 'another', by }))
    expect(another).to.include({ name: 'Unavailable', message: 'Too many messages are waiting' })
    await until('there is room', async () => !(await isBacklogFull(context)))
  })
})
