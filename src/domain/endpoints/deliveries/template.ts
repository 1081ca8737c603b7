import { Unavailable } from '../../../errors.js'
import { createThread, Overran } from '../../../kit/process/thread.js'
import { createFairQueue } from '../../../kit/process/fair-queue.js'

export const MAX_TEMPLATE_LENGTH = 16_384
const MAX_SHAPED_BYTES = 64 * 1024

/**
 * The memory is counted in characters and items that a template makes, and stops most loops at the same point each
 * time. It does not bound the time: a filter that looks at each item (`where_exp`, `find_exp`) makes nothing, and
 * takes seconds.
 */
const LIMITS = { parseLimit: MAX_TEMPLATE_LENGTH, memoryLimit: 200_000 }
/**
 * An ordinary template takes less than a millisecond. So this is plenty, even if there is hardly any processor time.
 */
const DEADLINE_MS = 500
/**
 * After a template took too long, its endpoint must wait this long before the next one is filled. One user's endpoints
 * rest together, so a user takes at most a twentieth of a processor, however many endpoints they have.
 */
const REST_MS = 10_000
/**
 * With fewer endpoints whose template took too long, the user's others need not rest: one faulty template does not stop
 * the events of other endpoints.
 */
const MAX_HEAVY = 3
/** After this long without such a template, the user's record is dropped. */
const REMEMBERED_MS = 3_600_000

/** A template cannot be filled with this event, and a repeat would not help. */
export class TemplateFailed extends Error {}

/** It took too long or too much memory, or too many wait. A repeat may help if the machine was busy. */
export class TemplateTooHeavy extends TemplateFailed {}

const ask = createThread<{ filled: string } | { fault: string }>(
  new URL('./template-thread.js', import.meta.url),
  {
    deadlineMs: DEADLINE_MS,
    maxMemoryMb: 64,
    data: { limits: LIMITS, maxBytes: MAX_SHAPED_BYTES },
  },
)

const runFairly = createFairQueue({
  maxWaiting: 5000,
  maxWaitingEach: 1000,
  busy: 'Too many templates are being rendered right now. Try again in a few seconds',
})

interface Rest {
  /** By `performance.now()`. */
  until: number
  /** The endpoints whose template took too long, at most MAX_HEAVY. */
  endpointIds: Set<string>
}

/** The rest of each user, by their ID. */
const rests = new Map<string, Rest>()

/** Whose template it is. Users take turns, and an endpoint of theirs may have to rest. */
export interface TemplateOwner {
  /** The user whose endpoint it is, who may not be the one whose line it is about. */
  userId: string
  endpointId: string
}

/** Returns who takes the turn if a person tries a template out: not the user, so that the user's events do not wait. */
export function trialOf({ userId, endpointId }: TemplateOwner): TemplateOwner {
  return { userId: `${userId} trying`, endpointId }
}

/**
 * Fills a template in the Liquid language (https://shopify.github.io/liquid/) with fields. If the result is declared
 * as JSON, it must be valid.
 *
 * @throws TemplateFailed with a sentence for the template's author; TemplateTooHeavy
 */
export async function fillTemplate(
  owner: TemplateOwner,
  template: string,
  contentType: string,
  fields: Record<string, string>,
): Promise<string> {
  const filling = runFairly(owner.userId, () => fillWhole(owner, template, fields))
  const answer = await filling.catch((error: unknown) => {
    throw error instanceof Unavailable ? new TemplateTooHeavy(error.message) : error
  })
  if ('fault' in answer) throw new TemplateFailed(answer.fault)
  if (isJson(contentType) && !parses(answer.filled)) {
    throw new TemplateFailed(
      `its output is not JSON, although the content type is ${contentType}. Insert text as {{ payload | json }}, without quotes`,
    )
  }
  return answer.filled
}

async function fillWhole(owner: TemplateOwner, template: string, fields: Record<string, string>) {
  const restMs = restOf(owner)
  if (restMs > 0) {
    const seconds = Math.ceil(restMs / 1000)
    throw new TemplateTooHeavy(
      `the last event took too long to render. Wait ${seconds} seconds, then try again`,
    )
  }
  try {
    return await ask({ template, fields })
  } catch (error) {
    if (!(error instanceof Overran)) throw error
    rest(owner)
    throw new TemplateTooHeavy(
      error.what === 'time'
        ? `rendering takes longer than ${DEADLINE_MS} ms. Use fewer loops and filters`
        : 'rendering takes too much memory. Use fewer loops and shorter texts',
    )
  }
}

function restOf({ userId, endpointId }: TemplateOwner): number {
  const { until, endpointIds } = rests.get(userId) ?? NO_REST
  return endpointIds.size >= MAX_HEAVY || endpointIds.has(endpointId) ? until - performance.now() : 0
}

const NO_REST: Rest = { until: 0, endpointIds: new Set() }

function rest({ userId, endpointId }: TemplateOwner): void {
  const now = performance.now()
  for (const [each, { until }] of rests) if (until + REMEMBERED_MS < now) rests.delete(each)
  const endpointIds = rests.get(userId)?.endpointIds ?? new Set()
  if (endpointIds.size < MAX_HEAVY) endpointIds.add(endpointId)
  rests.set(userId, { until: now + REST_MS, endpointIds })
}

function isJson(contentType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(contentType)
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
