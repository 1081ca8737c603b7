import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { deliver } from '../../../src/domain/deliveries/deliver.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { HOSTILITIES, startHostileServer, type HostileServer } from '../../helpers/hostile-servers.js'
import { deliveryRow, receiveForDelivery } from '../fixtures.js'

describe('deliver, to servers that close and lie', () => {
  let context: Context
  let server: HostileServer
  let line: TestLine

  before(async () => {
    context = await createTestContext({ DELIVERY_TIMEOUT_MS: '1000' })
    server = await startHostileServer()
    line = await createLine(context, { outgoingUrl: `${server.origin}/events` })
  })
  after(async () => {
    await context.close()
    await server.close()
  })

  // mocha fails a test for what is thrown outside of its promises.
  for (const [what, behave] of HOSTILITIES) {
    it(`has an outcome by name at one that ${what}`, async () => {
      server.behave(behave)
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      const { kind } = await deliver(context, id, endpointId)
      const row = await deliveryRow(context, id)
      expect([kind, row.status]).to.deep.equal(
        row.last_failure === null ? ['delivered', 'delivered'] : ['retry', 'pending'],
      )
      expect(row.last_failure ?? 'reset').to.match(
        /^(reset|bad_response|too_large|timeout|network|http_\d+)$/,
      )
    })
  }
})
