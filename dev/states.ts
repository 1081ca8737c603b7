import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { DELIVERY_STEPS, MEDIA_STEPS, MESSAGE_STEPS, type Step } from '../src/states.js'
import { formatAsProject } from './format-as-project.js'

/** `npm run states` draws this page from `src/states.ts`. A test compares the two. */
export const STATES_PAGE = 'docs/states.md'

const FAMILY_WORDS = {
  media: '`media_…`',
  request: '`http_404` and other statuses, or a connection failure',
  carrier: "the carrier's own words",
}

export async function drawStates(): Promise<string> {
  const page = `# States

Generated from \`src/states.ts\` by \`npm run states\`. [Concepts](concepts.md#the-states-of-a-message) explains what each state means.

${section('A message', MESSAGE_STEPS)}
${section('A delivery', DELIVERY_STEPS)}
${section('A copy of media', MEDIA_STEPS)}`
  return formatAsProject(STATES_PAGE, page)
}

function section(title: string, steps: readonly Step[]): string {
  const arrows = new Map<string, string[]>()
  for (const { from, to, when } of steps) {
    const arrow = `${from === 'new' ? '[*]' : from} --> ${to}`
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), when])
  }
  const drawn = [...arrows].map(([arrow, whens]) => `  ${arrow} : ${[...new Set(whens)].join(' · ')}`)
  const rows = steps.map((step) => `| ${step.from} | ${step.to} | ${step.when} | ${reasonsOf(step)} |`)
  return `## ${title}

\`\`\`mermaid
stateDiagram-v2
${drawn.join('\n')}
\`\`\`

| from | to | when | reason |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function reasonsOf({ reasons = [], family }: Step): string {
  const names = reasons.map((reason) => `\`${reason}\``)
  return [...names, ...(family === undefined ? [] : [FAMILY_WORDS[family]])].join(', ')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(STATES_PAGE, await drawStates())
}
