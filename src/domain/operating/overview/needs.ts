import { countryName } from '../../messages/country-guard.js'
import type { CarrierView } from './carriers.js'
import type { Cure } from './cure.js'
import {
  badgeOfEndpoint,
  describeCause,
  disabledDoes,
  ENDPOINT,
  failureDoes,
  isFailureSaidByCode,
  type Cause,
} from '../causes.js'
import { withHost, type EndpointTroubles, type HoldingEndpoint, type TroubledEndpoint } from './endpoints.js'
import { countOf } from './figures.js'
import type { Part } from './part.js'
import type { ForPeople } from './people.js'
import type { QueueView } from './queues.js'
import type { ServiceView } from './service.js'

/** Something that does not go away by itself. */
export interface Need {
  /** `bad` means that something does not work, `waiting` that it soon may not, or that a decision is needed. */
  mood: 'waiting' | 'bad'
  /** The problem in a word or two, such as `HTTP 500`. */
  code: string
  /** The text, a sentence or two. */
  text: string
  /** The page where it is fixed. */
  cure: Cure
  /** The cause that several needs may share. */
  cause?: Cause
}

export interface NeedyParts {
  queues: Part<QueueView[]>
  carriers: Part<CarrierView[]>
  postgres: Part<ServiceView>
  redis: Part<ServiceView>
  storage: Part<ServiceView>
  endpoints: Part<EndpointTroubles>
  people: Part<ForPeople>
}

/** Lists what needs someone's attention, worst first. */
export function listNeeds(parts: NeedyParts): Need[] {
  const needs = [
    ...ofService('Postgres', 'postgres', parts.postgres),
    ...ofService('Redis', 'redis', parts.redis),
    ...ofService('Storage', 'storage', parts.storage),
    ...knownOf(parts.queues, ofQueues),
    ...knownOf(parts.carriers, ofCarriers),
    ...knownOf(parts.endpoints, ofEndpoints),
    ...knownOf(parts.people, ofPeople),
  ]
  return [...needs.filter(({ mood }) => mood === 'bad'), ...needs.filter(({ mood }) => mood === 'waiting')]
}

function knownOf<Value>(part: Part<Value>, needsOf: (value: Value) => Need[]): Need[] {
  return part.isKnown ? needsOf(part.value) : []
}

function ofService(name: string, part: 'postgres' | 'redis' | 'storage', service: Part<ServiceView>): Need[] {
  const cure: Cure = { at: 'here', part }
  if (!service.isKnown) return [{ mood: 'bad', code: name, text: `${service.fault}.`, cure }]
  return service.value.faults.map(({ mood, text }) => {
    const inSentence = text.charAt(0).toLowerCase() + text.slice(1)
    return { mood, code: name, text: `${name}: ${inSentence}`, cure }
  })
}

function ofQueues(queues: readonly QueueView[]): Need[] {
  return queues
    .filter(({ state }) => state === 'stuck')
    .map(({ name, why, jobs }) => ({
      mood: 'bad',
      code: 'stuck',
      text: `Queue ${name}: ${why}`,
      // Without Redis its dashboard cannot show anything.
      cure: jobs === null ? { at: 'here', part: 'redis' } : { at: 'queues' },
    }))
}

function ofCarriers(carriers: readonly CarrierView[]): Need[] {
  return carriers.flatMap(({ id, name, mood, faults }) =>
    mood === 'good'
      ? []
      : [
          {
            ...{ mood, code: 'carrier' },
            text: `Carrier account ${name}: ${faults.join(' ')}`,
            cure: { at: 'carrier', id },
          },
        ],
  )
}

/** One or two such errors go away by themselves. */
export const MANY_FAILURES = 4

function ofEndpoints({ groups }: EndpointTroubles): Need[] {
  return groups.flatMap((group): Need[] => {
    const { disabledReason, lastFailure, count, since, failureCount, endpoints } = group
    const isDisabled = disabledReason !== null
    if (!isDisabled && failureCount < MANY_FAILURES) return []
    const { code } = badgeOfEndpoint({
      ...{ lastFailure, calledAt: since, pausedAt: null },
      ...{ disabledAt: isDisabled ? since : null, failingSince: since },
    })
    const cause: Cause = {
      ...{ mood: 'bad', code, noun: ENDPOINT, count, since, failureCount },
      isSaidByCode: !isDisabled && isFailureSaidByCode(lastFailure),
      does: isDisabled ? disabledDoes(disabledReason, lastFailure) : failureDoes(lastFailure),
      whose: endpoints.map((endpoint) => ({
        name: endpoint.lineName ?? endpoint.applicationName ?? withHost(endpoint).host,
        host: withHost(endpoint).host,
        owner: endpoint.ownerEmail,
        cure: cureOf(endpoint),
      })),
    }
    const [first] = endpoints
    const where = count === 1 && first !== undefined ? ` (${withHost(first).host} ${ownerOf(first)})` : ''
    const often = isDisabled ? '' : `, ${countOf(failureCount, 'time')} in a row`
    return [
      {
        mood: cause.mood,
        code,
        text: `${describeCause(cause)}${where}${often}.`,
        cure: count === 1 && first !== undefined ? cureOf(first) : { at: 'here', part: 'endpoints' },
        cause,
      },
    ]
  })
}

function ofPeople(people: ForPeople): Need[] {
  const { unknownMessages, failedMedia, holding, pausedCountries } = people
  return [
    ...ofPauses(people),
    ...pausedCountries.map(({ country, email, userId, accepted, usual }): Need => ({
      mood: 'bad',
      code: 'country paused',
      text:
        `Messages from ${email} to ${countryName(country)} are refused: ${accepted} were accepted in one hour, and the usual peak is ` +
        `${usual}. Ask the user whether they are expected.`,
      cure: { at: 'user', userId },
    })),
    ...unknownMessages.map((each): Need => ({
      mood: 'waiting',
      code: 'unknown outcome',
      text:
        each.count === 1
          ? `A message from ${each.email} has an unknown outcome. Check whether it arrived before resending.`
          : `${countOf(each.count, 'message')} from ${each.email} have an unknown outcome. Check which ones arrived before ` +
            'resending.',
      cure: { at: 'unknown messages', userId: each.userId },
    })),
    ...failedMedia.map((each): Need => ({
      mood: 'waiting',
      code: 'media not copied',
      text: `${countOf(each.count, 'picture or recording', 'pictures or recordings')} from ${each.email} could not be copied in the last 24 hours.`,
      cure: { at: 'failed messages', userId: each.userId },
    })),
    ...holding.map((endpoint): Need => ({
      mood: 'waiting',
      code: 'held events',
      text:
        `The endpoint at ${endpoint.host} ${ownerOf(endpoint)} has recovered, but ` +
        `${countOf(endpoint.heldCount, 'event is', 'events are')} still held. Send them now.`,
      cure: cureOf(endpoint),
    })),
  ]
}

/** A paused line is left out: its owner paused it, or it is on the page of pauses. */
function ofPauses({ allSendingPause, pausedAccounts }: ForPeople): Need[] {
  const by = allSendingPause?.pausedBy ?? null
  return [
    ...(allSendingPause === null
      ? []
      : [
          {
            mood: 'bad' as const,
            code: 'paused',
            text: `All sending is paused${by === null ? '' : ` by ${by}`}. Messages are accepted but wait until you resume it.`,
            cure: { at: 'sending' as const },
          },
        ]),
    ...pausedAccounts.map(({ id, name }): Need => ({
      mood: 'waiting',
      code: 'paused',
      text: `Carrier account ${name} is paused. Its lines send nothing until you resume it.`,
      cure: { at: 'carrier', id },
    })),
  ]
}

type Owned = Pick<
  TroubledEndpoint | HoldingEndpoint,
  'id' | 'userId' | 'lineId' | 'lineNumber' | 'applicationId'
>

export function ownerOf({ lineNumber, applicationId }: Pick<Owned, 'lineNumber' | 'applicationId'>): string {
  if (lineNumber !== null) return `of the line ${lineNumber}`
  return applicationId === null ? 'of an account' : 'of an application'
}

export function cureOf({ id, userId }: Pick<Owned, 'id' | 'userId'>): Cure {
  return { at: 'endpoint', userId, endpointId: id }
}
