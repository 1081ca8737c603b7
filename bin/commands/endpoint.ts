import type { Command } from 'commander'
import { findClient } from '../../src/domain/applications/applications.js'
import type { Context } from '../../src/domain/context.js'
import {
  changePolicy,
  getPolicy,
  type EndpointOwner,
  type ShownPolicy,
} from '../../src/domain/endpoints/endpoint-policies.js'
import { endpointOfApplication, endpointOfLine } from '../../src/domain/endpoints/endpoint-pauses.js'
import { findAnyLineEndpoint } from '../../src/domain/endpoints/line-endpoints.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { COMMAND_LINE, pauseEndpoint, resumeEndpoint } from '../../src/domain/operating/pauses.js'
import { POLICY_FIELDS } from '../../src/domain/endpoints/policy-fields.js'
import { parsePolicyText } from '../../src/domain/endpoints/policy-text.js'
import { run } from '../run.js'
import { readSettingOptions, collect } from './carrier-options.js'
import { addFurtherCommands } from './further-endpoint.js'

const WHOSE = [
  '<owner>',
  "a line's id or number, for its outgoing webhook URL; the id of a further endpoint, or of an application",
] as const

export function addEndpointCommands(program: Command): void {
  const endpoint = program
    .command('endpoint')
    .description("a line's further endpoints, and how a line or an application wants its events")
  addFurtherCommands(endpoint)

  endpoint
    .command('policy')
    .description('show how the endpoint wants its events')
    .argument(...WHOSE)
    .option('--json', 'print JSON')
    .action((reference: string, options: { json?: boolean }) =>
      run(options, async (context) => answerOf(await getPolicy(context, await ownerOf(context, reference)))),
    )

  endpoint
    .command('set-policy')
    .description('change how the endpoint wants its events, from the next attempt on')
    .argument(...WHOSE)
    .requiredOption(
      '--set <field=value>',
      `${POLICY_FIELDS.join(', ')}, or headers.<name>; a list has commas, an empty value stands for the default, and - for a ` +
        'line of standard input, which keeps a secret out of the shell’s history; may be repeated',
      collect,
      [],
    )
    .option('--json', 'print JSON')
    .action((reference: string, options: { set: string[]; json?: boolean }) =>
      run(options, async (context) => {
        const fields = parsePolicyText(await readSettingOptions(options.set))
        return answerOf(await changePolicy(context, await ownerOf(context, reference), fields))
      }),
    )

  const addPausing = (name: string, description: string, said: string, act: typeof pauseEndpoint) =>
    endpoint
      .command(name)
      .description(description)
      .argument(...WHOSE)
      .option('--json', 'print JSON')
      .action((reference: string, options: { json?: boolean }) =>
        run(options, async (context) => {
          const { of, id, userId, furtherId } = await ownerOf(context, reference)
          const find = of === 'line' ? endpointOfLine : endpointOfApplication
          await act(context, COMMAND_LINE, await find(context, userId, id, furtherId))
          const endpoint = furtherId === undefined ? {} : { endpointId: furtherId }
          return { result: { of, id, ...endpoint, [said]: true }, lines: [`events of the ${of} ${said}`] }
        }),
      )
  addPausing(
    'pause',
    'pause the events to a URL: they wait, and only operators resume them',
    'paused',
    pauseEndpoint,
  )
  addPausing('resume', 'let the events to a URL go out again, in order', 'resumed', resumeEndpoint)
}

/** @throws UserError when nothing has this id or number */
async function ownerOf(context: Context, reference: string): Promise<EndpointOwner> {
  const application = await findClient(context, reference)
  if (application !== undefined) return { of: 'application', id: application.id, userId: application.userId }
  const further = await findAnyLineEndpoint(context, reference)
  if (further !== undefined) {
    const { id: furtherId, lineId, userId } = further
    return { of: 'line', id: lineId, userId, furtherId }
  }
  const { id, userId } = await getAnyLine(context, reference)
  return { of: 'line', id, userId }
}

function answerOf(policy: ShownPolicy) {
  const lines = [...POLICY_FIELDS, 'headerNames' as const, 'publicKeyUrl' as const].map(
    (name) => `${name}: ${wordsOf(policy[name])}`,
  )
  return { result: policy, lines }
}

function wordsOf(value: ShownPolicy[keyof ShownPolicy]): string {
  if (value === null) return 'default'
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}
