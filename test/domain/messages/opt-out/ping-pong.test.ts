import { expect } from 'chai'
import { createFunctions } from '../../../../src/database/functions.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { ANNA, BEN, inboundText, queueMessage } from '../../fixtures.js'

/** So many seconds ago, evenly over the last `span` seconds; the first is now. */
const times = (count: number, span = 50) => Array.from({ length: count }, (_, n) => (n * span) / count)

describeContext('a ping-pong of two programs', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
  })

  /** What `receive_messages` asks when as many have come. */
  async function isPingPong(inboundAgo: readonly number[], outboundAgo: readonly number[]): Promise<boolean> {
    const { db } = context
    const now = new Date()
    const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
    // The first has just come.
    for (const seconds of inboundAgo.slice(1)) {
      await queueMessage(context, line, {
        ...{ direction: 'inbound', status: 'received', from_number: ANNA, to_number: line.number },
        created_at: ago(seconds),
      })
    }
    for (const seconds of outboundAgo)
      await queueMessage(context, line, { status: 'sent', sent_at: ago(seconds) })
    const { rows } = await db.raw<{ rows: { after: number | null }[] }>(
      'select ping_pong_after(?, ?, ?) as after',
      [line.lineId, ANNA, now],
    )
    const after = rows[0]?.after ?? Infinity
    return inboundAgo.length > 0 && after <= 1
  }

  for (const [what, inboundAgo, outboundAgo, expected] of [
    ['more than 10 messages with as many answers within a minute', times(11), times(10), true],
    ['10 messages with as many answers', times(10), times(10), false],
    ['a person who sends 8 texts in a minute', times(8), [], false],
    ['a person who sends 30 texts and gets a few answers', times(30), times(9), false],
    ['a line that sends 30 texts and gets a few answers', times(9), times(30), false],
    ['a long talk', times(60, 600), times(60, 600), false],
    ['nothing', [], [], false],
  ] as const) {
    it(`${expected ? 'is' : 'is not'}: ${what}`, async () => {
      expect(await isPingPong(inboundAgo, outboundAgo)).to.equal(expected)
    })
  }

  it('is over a minute after the last message', async () => {
    const traffic = times(20)
    expect(await isPingPong(traffic, traffic)).to.equal(true)
    line = await createLine(context)
    const before = traffic.map((seconds) => seconds + 60)
    expect(await isPingPong(before, before)).to.equal(false)
  })

  it('is not looked for before more than ten have come in a minute', async () => {
    const receive = (fromNumber: string) => receiveMessage(context, inboundText(line, { fromNumber }))
    const heardAt = async () =>
      (
        await context
          .db('line_peers')
          .where({ line_id: line.lineId, number: BEN })
          .first<{ heard_at: Date[] }>()
      ).heard_at
    await context.db.raw(`
      create or replace function ping_pong_after(line uuid, peer text, now_at timestamptz) returns integer
      language plpgsql as $$ begin raise 'looked for'; end $$`)
    try {
      for (let n = 0; n < 10; n += 1) await receive(BEN)
      expect(await heardAt()).to.have.length(10)
      const failure: unknown = await receive(BEN).catch((error: unknown) => error)
      expect(String(failure)).to.include('looked for')
    } finally {
      await createFunctions(context.db, ['ping_pong_after'])
    }
    for (let n = 0; n < 5; n += 1) await receive(BEN)
    expect(await heardAt(), 'no more are kept than are asked for').to.have.length(11)
  })
})
