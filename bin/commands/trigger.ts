import type { Command } from 'commander'
import type { TestEventResult } from '../../clients/typescript/src/generated.js'
import { addRemoteOptions, askRemote, findRemoteLine, runRemote, type RemoteOptions } from '../remote.js'
import { print } from '../run.js'

export function addTriggerCommand(program: Command): void {
  const command = program
    .command('trigger')
    .description(
      "send an example event to a line's URL and listeners, once; needs an API token but no database",
    )
    .argument('<line>', 'ID or number')
    .argument('<type>', 'such as inboundText or messageStatus')
    .option('--json', 'print JSON')
  addRemoteOptions(command).action((reference: string, type: string, options: RemoteOptions) =>
    runRemote(options, async (remote) => {
      const { id } = await findRemoteLine(remote, reference)
      const path = `/v1/lines/${id}/events/trigger`
      const result = (await askRemote(remote, path, { method: 'POST', body: { type } })) as TestEventResult
      const { delivered, responseStatus, failure, durationMs } = result
      if (failure === 'no_url') {
        print(options, result, [
          'sent only to listeners, because the line has no outgoing webhook URL or its connection is off',
        ])
        return
      }
      const outcome = `${delivered ? 'delivered' : 'failed'}: ${responseStatus ?? failure ?? ''}`
      print(options, result, [`${outcome} in ${durationMs} ms`])
      if (!delivered) process.exitCode = 1
    }),
  )
}
