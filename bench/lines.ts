import { addCarrierAccount } from '../src/domain/carriers/carrier-accounts.js'
import { enableConnection, setLineEndpointUrl } from '../src/domain/lines/connections.js'
import { addUser } from '../src/domain/people/users.js'
import type { Installation } from './harness/installation.js'
import { insertLines, type LineRow } from './rows.js'

export interface Seeds {
  lines: LineRow[]
  /** The id of the carrier account; '' for the simulator, which every installation has. */
  accountId: string
}

/**
 * Makes a user with so many lines at a carrier. The first lines get an outgoing webhook, each an endpoint of its own.
 *
 * @param carrier left out: the simulator
 */
export async function seedLines(
  installation: Installation,
  options: {
    count: number
    carrier?: { kind: 'twilio' | 'smpp'; settings: Record<string, unknown> }
    outgoingUrls?: readonly string[]
  },
): Promise<Seeds> {
  const { carrier, count, outgoingUrls = [] } = options
  return installation.prepare(async (context) => {
    const { id: userId } = await addUser(context, { email: 'bench@example.com' })
    const account = carrier && (await addCarrierAccount(context, { name: 'carrier', ...carrier }))
    const lines = await insertLines(installation.sql, {
      userId,
      carrier: account?.name ?? 'simulator',
      count,
    })
    for (const [n, url] of outgoingUrls.entries()) {
      const id = lines[n]?.id ?? ''
      await enableConnection(context, userId, id)
      await setLineEndpointUrl(context, userId, id, url)
    }
    return { lines, accountId: account?.id ?? '' }
  })
}
