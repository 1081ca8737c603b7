import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Has axe look for what keeps people out of a page, as it is now.
 *
 * @param rules left out: all
 * @returns a sentence for each element that breaks one
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(
    (runOnly) =>
      (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(
        runOnly === undefined ? {} : { runOnly: [...runOnly] },
      ),
    rules,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ''}`),
  )
}
