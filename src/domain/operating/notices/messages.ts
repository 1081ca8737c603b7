import { countNewUnknown } from '../../../database/operating/overview/loose-ends.js'
import { readOnly } from '../../../database/operating/overview/reading.js'
import type { Context } from '../../context.js'
import type { NoticeDetails } from '../../../event-types.js'
import type { Watched } from './troubles.js'

/**
 * Watches messages that became `unknown` since their owner's last notification. The newest one marks where the next run
 * starts, so that none is reported twice.
 */
export function watchMessages({ db }: Context): Watched {
  return {
    kinds: ['messages.unknown'],
    findTroubles: async () => {
      const found = await readOnly(db, countNewUnknown)
      return {
        troubles: found.map(({ userId, count, newestAt }) => ({
          kind: 'messages.unknown' as const,
          subject: userId,
          userId,
          mark: newestAt,
          afterMs: 0,
          details: { userId, count } satisfies NoticeDetails<'messages.unknown'>,
        })),
        endOf: () => ({ kind: 'over' }),
      }
    },
  }
}
