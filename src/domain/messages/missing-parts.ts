import type { ReceivedPart } from '../../carriers/records.js'
import type { Brought } from '../../database/carrier-received.js'

/**
 * The parts of a message that were not brought yet, under the ids that are not used yet. Media are recognized by their
 * URL, because a carrier's list may have them in another order than its callback.
 */
export function missingOf(
  parts: readonly ReceivedPart[],
  brought: ReadonlyMap<string, Brought>,
): ReceivedPart[] {
  const urls = new Set(parts.map(({ id }) => brought.get(id)?.sourceUrl))
  const freeIds = parts.map(({ id }) => id).filter((id) => !brought.has(id))
  const missing = parts.filter(({ id, content }) =>
    content.type === 'inboundText' ? !brought.has(id) : !urls.has(content.url),
  )
  return missing.flatMap(({ content }, index) => {
    const id = freeIds[index]
    return id === undefined ? [] : [{ id, content }]
  })
}
