import type { Config } from '../../src/config.js'
import { isForThisMachineOnly } from '../../src/network.js'
import type { Sample } from './sample.js'

const SOMEBODY = '+15005550199'

/**
 * The text that a first start shows: where things are, and two lines to paste.
 *
 * @param setUpUrl the link to set up the operator's account, while nobody can sign in
 * @param smallBecause why all workers run in one process, if they do
 * @param hasOwnQueuesPassword true if the operator chose QUEUES_PASSWORD: then it is not shown, because the output of a
 *   service is kept in a log
 */
export function banner(
  config: Config,
  {
    sample,
    setUpUrl,
    smallBecause,
    hasOwnQueuesPassword = false,
  }: {
    sample?: Sample
    setUpUrl?: string
    smallBecause?: string | undefined
    hasOwnQueuesPassword?: boolean
  },
): string {
  const { publicUrl, queuesPassword, simulator } = config
  // If other machines can reach the simulator's routes, these want a token (require-here-or-token.ts).
  const token = isForThisMachineOnly(config) ? '' : ` -H 'Authorization: Bearer API_TOKEN'`
  const lines = [
    'Linehook is running.',
    ...(smallBecause === undefined ? [] : [`All workers run in one process, because ${smallBecause}.`]),
    '',
    `Console          ${publicUrl}/console`,
    ...(simulator ? [`Phone simulator  ${publicUrl}/simulator`] : []),
    `API              ${publicUrl}/docs`,
    `Health           ${publicUrl}/readyz`,
    `Queue dashboard  ${publicUrl}/queues   (${queuesAccess(queuesPassword, hasOwnQueuesPassword)})`,
  ]
  if (setUpUrl !== undefined) lines.push('', `Set up your account (this link works once): ${setUpUrl}`)
  if (sample?.webhookUrl !== undefined) {
    lines.push(
      '',
      'Send a text, then see it arrive at the simulator:',
      `curl -d '{"intent":"message","data":{"toNumber":"${SOMEBODY}","text":"Hello"}}' '${sample.webhookUrl}'`,
      `curl${token} '${publicUrl}/simulator/outbox?toNumber=${encodeURIComponent(SOMEBODY)}'`,
    )
  }
  if (sample !== undefined) {
    lines.push(
      '',
      'Let the line receive a text, then see its event arrive in the log below:',
      `curl${token} -d '{"fromNumber":"${SOMEBODY}","toNumber":"${sample.number}","text":"Hi there"}' '${publicUrl}/simulator/inbound'`,
    )
  }
  if (sample !== undefined && token !== '') {
    lines.push('', 'Replace API_TOKEN with an API token. Create one in the console, under Settings.')
  }
  lines.push('', 'Ctrl-C stops everything. Your data stays in .data/')
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`
}

function queuesAccess(password: string | undefined, isOwn: boolean): string {
  if (password === undefined) return 'for signed-in operators'
  return `user operator, password ${isOwn ? 'as in QUEUES_PASSWORD' : password}`
}
