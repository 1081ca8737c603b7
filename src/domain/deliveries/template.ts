import type { Liquid } from 'liquidjs'
import { asError } from '../../errors.js'

export const MAX_TEMPLATE_LENGTH = 16_384
export const MAX_SHAPED_BYTES = 64 * 1024

/**
 * What a template may use. The memory is counted in characters and items that it makes, and bounds most loops at the same
 * point each time; the time is for the rest. An ordinary template takes less than a millisecond.
 */
const LIMITS = { parseLimit: MAX_TEMPLATE_LENGTH, renderLimit: 100, memoryLimit: 200_000 }

/** A template cannot be filled with this event, and a repeat would not mend that. */
export class TemplateFailed extends Error {}

let engine: Promise<Liquid> | undefined

/** Only who uses templates loads it. It has no files, and sees nothing but the fields that it is given. */
function loadEngine(): Promise<Liquid> {
  return (engine ??= import('liquidjs').then(
    ({ Liquid: Engine }) =>
      new Engine({
        ...LIMITS,
        templates: {},
        ownPropertyOnly: true,
        strictFilters: true,
        strictVariables: true,
      }),
  ))
}

/**
 * Fills a template in the Liquid language (https://shopify.github.io/liquid/) with fields. What is to be JSON must be JSON.
 *
 * @throws TemplateFailed with a sentence for whoever wrote the template
 */
export async function fillTemplate(
  template: string,
  contentType: string,
  fields: Record<string, string>,
): Promise<string> {
  const liquid = await loadEngine()
  let filled: string
  try {
    filled = String(liquid.parseAndRenderSync(template, fields))
  } catch (error) {
    throw new TemplateFailed(asError(error).message.split('\n')[0])
  }
  if (Buffer.byteLength(filled) > MAX_SHAPED_BYTES) {
    throw new TemplateFailed(`what it makes is larger than ${MAX_SHAPED_BYTES} bytes`)
  }
  if (isJson(contentType) && !parses(filled)) {
    throw new TemplateFailed(
      `what it makes is not JSON, which ${contentType} says: write texts as {{ payload | json }}, without quotes`,
    )
  }
  return filled
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
