import { addEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { revealSigningSecret } from '../../../../src/domain/endpoints/signing-secrets.js'
import { connect, createApplication } from '../../../domain/applications/applications.js'
import type { Answer } from '../../../helpers/web/web.js'
import type { Console, OpenLine } from '../lines/line/line-page.js'

/** What holds for one endpoint holds for each of these. */
export const KINDS = [
  "a line's outgoing webhook",
  'another endpoint of a line',
  "an application's endpoint",
] as const

export interface OpenEndpoint {
  id: string
  /** That of its line or application. */
  ownerPath: string
  /** What it gets comes to this line. */
  line: OpenLine
  /** Of its page. */
  path: string
  submit: (form: string, fields?: Record<string, string>) => Promise<Answer>
  page: (query?: string) => Promise<string>
  secret: () => Promise<string>
  set: (fields: Record<string, unknown>) => Promise<unknown>
}

/** The only endpoint that there is for what comes to a new line, in its owner's browser. */
export async function openEndpoint(
  site: Console,
  kind: (typeof KINDS)[number] = KINDS[0],
  overrides: { name?: string } = {},
): Promise<OpenEndpoint> {
  const { context, receiver } = site
  const { url } = receiver
  const line = await site.openLine({ ...overrides, ...(kind === KINDS[0] && { outgoingUrl: url }) })
  const { userId, lineId, browser } = line
  let id = line.endpointId
  let ownerPath = line.path
  if (kind === KINDS[1]) ({ id } = (await addEndpoint(context, userId, { lineId }, { url })).endpoint)
  if (kind === KINDS[2]) {
    const created = await createApplication(context, { userId, webhookUrl: url })
    await connect(context, created, line)
    id = created.application.endpointId ?? ''
    ownerPath = `/console/applications/${created.id}`
  }
  const path = `/console/endpoints/${id}`
  return {
    id,
    ownerPath,
    line,
    path,
    submit: (form, fields) => browser.submit(`${path}/${form}`, fields),
    page: async (query = '') => (await browser.get(path + query)).text,
    secret: () => revealSigningSecret(context, { userId }, id),
    set: (fields) => context.db('endpoints').where({ id }).update(fields),
  }
}
