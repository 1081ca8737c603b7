import { expect } from 'chai'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { HOSTILITIES, startHostileServer } from '../../../helpers/services/hostile-servers.js'
import { openForSuite } from '../../../helpers/suite.js'
import { deliveryRow, receiveForDelivery } from '../../fixtures.js'

const environment = { DELIVERY_TIMEOUT_MS: '1000' }

describeContext('deliver, to servers that close and lie', { environment }, (context) => {
  const server = openForSuite(startHostileServer)
  let line: TestLine

  before(async () => {
    line = await createLine(context, { outgoingUrl: `${server.origin}/events` })
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
