import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { CARRIER_REASON_NAMES, CARRIER_REASONS } from '../src/carrier-reasons.js'
import { CARRIER_CODES, listCodes } from '../src/carriers/codes.js'
import type { CarrierCodes } from '../src/carriers/codes/carrier-codes.js'
import { formatAsProject } from './format-as-project.js'

/** `npm run codes` draws this page from `src/carrier-reasons.ts` and `src/carriers/codes.ts`. A test compares them. */
export const CODES_PAGE = 'docs/carriers/codes.md'

export async function drawCodes(): Promise<string> {
  const reasons = CARRIER_REASON_NAMES.map((name) => {
    const { label, text, who } = CARRIER_REASONS[name]
    return `| \`${name}\` | ${label} | ${text} | ${who} |`
  })
  const page = `# What carriers' codes mean

Generated from \`src/carrier-reasons.ts\` and \`src/carriers/codes.ts\` by \`npm run codes\`.

If a carrier rejects a message, or reports in a receipt that it failed, Linehook stores the carrier's own code. If the code is in a
table below, the message's page explains it and says what to do. \`/v1\` returns the explanation as \`carrierCodeMeaning\`, the
\`messageStatus\` event has it as \`carrierReason\`, and the export of the activity has both.

The tables leave out codes that no public page explains and codes with two meanings. Such a message shows only the code and the
carrier's words. Codes of the generic HTTP carrier come from a service that Linehook does not know.

| reason | label | text | who can fix it |
| --- | --- | --- | --- |
${reasons.join('\n')}

${Object.entries(CARRIER_CODES)
  .map(([kind, codes]) => section(kind, codes))
  .join('\n\n')}

The specification leaves the meaning of the error of an SMPP receipt (\`err:\`) to each SMSC, and SMSCs have their own command
statuses. The account's settings \`receiptErrors\` and \`statuses\` give these codes one of the reasons above ([SMPP](smpp.md#receipts)).
`
  return formatAsProject(CODES_PAGE, page)
}

function section(kind: string, known: CarrierCodes): string {
  const entries = listCodes(known)
  const rows = CARRIER_REASON_NAMES.flatMap((name) => {
    const codes = entries
      .filter(({ reason }) => reason === name)
      .map(({ first, last }) => (first === last ? `\`${first}\`` : `\`${first}\` to \`${last}\``))
    return codes.length === 0 ? [] : [`| \`${name}\` | ${codes.join(', ')} |`]
  })
  return `## ${kind}

From [its documentation](${known.source}).

| reason | codes |
| --- | --- |
${rows.join('\n')}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(CODES_PAGE, await drawCodes())
}
