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
 * After a template took too long, its owner can fill the next one only after this time, and so takes a twentieth of a
 * processor at most.
 */
const REST_MS = 10_000

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

/** The ends of the waits, by `performance.now()`. */
const resting = new Map<string, number>()

/**
 * Fills a template in the Liquid language (https://shopify.github.io/liquid/) with fields. If the result is declared
 * as JSON, it must be valid.
 *
 * @param owner the owner of the template: an endpoint, or a user who tries it out. They take turns.
 * @throws TemplateFailed with a sentence for the template's author; TemplateTooHeavy
 */
export async function fillTemplate(
  owner: string,
  template: string,
  contentType: string,
  fields: Record<string, string>,
): Promise<string> {
  const answer = await runFairly(owner, () => fillWhole(owner, template, fields)).catch((error: unknown) => {
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

async function fillWhole(owner: string, template: string, fields: Record<string, string>) {
  const restMs = (resting.get(owner) ?? 0) - performance.now()
  if (restMs > 0) {
    const seconds = Math.ceil(restMs / 1000)
    throw new TemplateTooHeavy(
      `the last event took too long to render. Wait ${seconds} seconds, then try again`,
    )
  }
  resting.delete(owner)
  try {
    return await ask({ template, fields })
  } catch (error) {
    if (!(error instanceof Overran)) throw error
    for (const [each, until] of resting) if (until < performance.now()) resting.delete(each)
    resting.set(owner, performance.now() + REST_MS)
    throw new TemplateTooHeavy(
      error.what === 'time'
        ? `rendering takes longer than ${DEADLINE_MS} ms. Use fewer loops and filters`
        : 'rendering takes too much memory. Use fewer loops and shorter texts',
    )
  }
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
