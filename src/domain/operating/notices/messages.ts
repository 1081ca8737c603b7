import { countNewUnknown } from '../../../database/operating/overview/loose-ends.js'
import { readOnly } from '../../../database/operating/overview/reading.js'
import type { Context } from '../../context.js'
import { watching, type Watched } from './troubles.js'

/**
 * Watches messages that became `unknown` since their owner's last notification. The newest one marks where the next run
 * starts, so that none is reported twice.
 */
export function watchMessages({ db }: Context): Watched {
  return watching('messages.unknown', async () =>
    (await readOnly(db, countNewUnknown)).map(({ userId, count, newestAt }) => ({
      subject: userId,
      userId,
      mark: newestAt,
      details: { userId, count },
    })),
  )
}
