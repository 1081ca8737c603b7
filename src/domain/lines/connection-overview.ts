import type { OptInEventType } from '../../event-types.js'
import { findConnection } from '../../database/lines/developer-connections.js'
import type { DisabledReason } from '../../database/endpoints/endpoints.js'
import type { Context } from '../context.js'
import { pauseOf, type PauseOwner } from '../operating/pauses.js'
import { getOwnLine } from './lines.js'

/** A line's connection as its owner sees it; if the line was never connected, everything is empty. */
export interface ConnectionOverview {
  enabled: boolean
  outgoingWebhookUrl: string | null
  /**
   * Types of events that the URL gets in addition to those that every endpoint gets. They stay if the URL is removed.
   */
  optInEvents: OptInEventType[]
  /** The endpoint that is the line's outgoing webhook; null if it has no URL. */
  endpoint: {
    id: string
    failingSince: Date | null
    consecutiveFailureCount: number
    disabledAt: Date | null
    /** The time since which its deliveries are paused, and the user who paused them. */
    pausedAt: Date | null
    pausedBy: PauseOwner | null
    disabledReason: DisabledReason | null
    /** The end of the time in which the signing secret from before the last rotation signs too. */
    previousSecretUntil: Date | null
  } | null
  incomingWebhook: {
    createdAt: Date
    regeneratedAt: Date | null
    /** The end of the time in which the token from before the last regeneration works too. */
    previousTokenUntil: Date | null
  } | null
}

/** @throws UserError 404 if the user has no such line */
export async function getConnection(
  { db }: Context,
  userId: string,
  lineId: string,
): Promise<ConnectionOverview> {
  const found = await findConnection(db, userId, lineId)
  if (found === undefined) await getOwnLine({ db }, userId, lineId)
  return {
    enabled: found?.enabled ?? false,
    outgoingWebhookUrl: found?.outgoingWebhookUrl ?? null,
    optInEvents: found?.optInEvents ?? [],
    endpoint:
      found?.endpointId == null
        ? null
        : {
            id: found.endpointId,
            failingSince: found.endpointFailingSince,
            consecutiveFailureCount: found.endpointFailureCount ?? 0,
            disabledAt: found.endpointDisabledAt,
            disabledReason: found.endpointDisabledReason,
            pausedAt: found.endpointPausedAt,
            pausedBy:
              pauseOf({ userId, pausedAt: found.endpointPausedAt, pausedBy: found.endpointPausedBy })?.by ??
              null,
            previousSecretUntil: found.previousSecretUntil,
          },
    incomingWebhook:
      found?.incomingWebhookCreatedAt == null
        ? null
        : {
            createdAt: found.incomingWebhookCreatedAt,
            regeneratedAt: found.tokenRegeneratedAt,
            previousTokenUntil: found.previousTokenUntil,
          },
  }
}
