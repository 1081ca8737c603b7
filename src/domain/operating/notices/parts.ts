import type { NoticeDetails } from '../../../event-types.js'
import { viewPhones } from '../../carriers/accounts/phones.js'
import { listAccountOverviews } from '../../carriers/carrier-accounts.js'
import type { Context } from '../../context.js'
import { readCarriers } from '../overview/carriers.js'
import { readQueues } from '../overview/queues.js'
import type { NoticeKind } from './kinds.js'
import type { Watched } from './troubles.js'

/** Within this time a process restarts and asks carriers for their phones again, so that no restart is reported. */
const PATIENCE_MS = 60_000

/** Watches carrier accounts, which are down if the overview calls them bad. */
export function watchCarriers(context: Context): Watched {
  return watchingParts('carrier.down', 'carrier.recovered', async () =>
    (await readCarriers(context)).map(({ id, name, state, mood }) => ({
      subject: id,
      isWell: mood !== 'bad',
      details: { accountId: id, name, state },
    })),
  )
}

/**
 * Watches the phones that lines send through: one that has been silent for long enough is away. An account has one
 * notification for all of its phones. If its lines have moved, or it no longer has a phone, that is over.
 */
export function watchPhones(context: Context): Watched {
  return watchingParts('phone.away', 'phone.back', async () => {
    const accounts = (await listAccountOverviews(context)).filter(({ lineCount }) => lineCount > 0)
    return accounts.flatMap((account) => {
      const phones = viewPhones(account)
      const awayCount = phones.filter(({ isAway }) => isAway).length
      const lastContactAt = phones[0]?.contactAt.toISOString() ?? null
      const details = { accountId: account.id, name: account.name, awayCount, lastContactAt }
      return phones.length === 0 ? [] : [{ subject: account.id, isWell: awayCount === 0, details }]
    })
  })
}

/** Watches queues; they are stuck if the overview says so. */
export function watchQueues(context: Context): Watched {
  return watchingParts('queue.stuck', 'queue.recovered', async () =>
    (await readQueues(context)).map(({ name, why, state }) => ({
      subject: name,
      isWell: state !== 'stuck',
      details: { queue: name, why },
    })),
  )
}

/** Watches parts of the service that are well or not. The end of a part that is gone is not reported. */
function watchingParts<Kind extends NoticeKind>(
  kind: Kind,
  recovered: NoticeKind,
  readParts: () => Promise<{ subject: string; isWell: boolean; details: NoticeDetails<Kind> }[]>,
): Watched {
  return {
    kinds: [kind],
    findTroubles: async () => {
      const parts = await readParts()
      return {
        troubles: parts
          .filter(({ isWell }) => !isWell)
          .map(({ subject, details }) => ({
            ...{ kind, subject, userId: null, mark: '', afterMs: PATIENCE_MS, details },
          })),
        endOf: ({ subject }) => {
          const part = parts.find((each) => each.subject === subject)
          if (part === undefined) return { kind: 'over' }
          return { kind: 'recovered', as: recovered, userId: null, details: part.details }
        },
      }
    },
  }
}
