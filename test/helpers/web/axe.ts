import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Axe = { run(options: RunOptions): Promise<AxeResults> }

/**
 * Has axe look for what keeps people out of a page, as it is now.
 *
 * @param options all that is on by default
 * @returns a sentence for each element that breaks a rule
 */
export async function axeFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  // Its half a megabyte takes longer to read than most pages take to look at.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: Axe }).axe.run({ ...given, resultTypes: ['violations'] }),
    options,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ''}`),
  )
}
