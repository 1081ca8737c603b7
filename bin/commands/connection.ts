import { LINE_OPT_IN_EVENT_TYPES } from '../../src/event-types.js'
import type { Command } from 'commander'
import { findConnection } from '../../src/database/lines/developer-connections.js'
import {
  changeConnection,
  disableConnection,
  disconnect,
  enableConnection,
  setLineEndpointUrl,
} from '../../src/domain/lines/connections.js'
import type { Context } from '../../src/domain/context.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { revealSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { commandsAbout } from '../subject-command.js'
import { LINE } from './line.js'

/** The text for a person, and the fields that `--json` prints besides the connection. */
interface Done {
  said: string
  result: Record<string, string>
}

export function addConnectionCommands(program: Command): void {
  const connection = program.command('connection').description("a line's developer connection")

  const about = commandsAbout(connection, LINE, getAnyLine)
  const command = (
    name: string,
    description: string,
    work: (context: Context, userId: string, lineId: string, argument: string) => Promise<string | Done>,
    argument?: [name: string, description: string],
  ) => {
    about(
      name,
      description,
      async (context, { id, userId }, given: string) => {
        const done = await work(context, userId, id, given)
        const { said, result } = typeof done === 'string' ? { said: done, result: {} } : done
        const connection = await findConnection(context.db, userId, id)
        return { result: connection === undefined ? null : { ...connection, ...result }, lines: [said] }
      },
      (added) => (argument ? added.argument(...argument) : added),
    )
  }

  command(
    'enable',
    'enable it, and also its endpoint if that was disabled after failures',
    async (context, userId, lineId) => {
      await enableConnection(context, userId, lineId)
      return 'developer connection enabled'
    },
  )
  command(
    'disable',
    'disable it: no events are sent, and the incoming webhook returns 404',
    async (context, userId, lineId) => {
      await disableConnection(context, userId, lineId)
      return 'developer connection disabled'
    },
  )
  command(
    'set-url',
    'set the outgoing webhook URL and show its signing secret; an empty URL removes it',
    async (context, userId, lineId, url) => {
      await setLineEndpointUrl(context, userId, lineId, url === '' ? undefined : url)
      const endpointId = (await findConnection(context.db, userId, lineId))?.endpointId
      if (endpointId == null) return 'outgoing webhook URL removed'
      const secret = await revealSigningSecret(context, { userId }, endpointId)
      const said = `outgoing webhook URL set; signing secret: ${secret}`
      return { said, result: { signingSecret: secret } }
    },
    ['<url>', 'the URL that events are POSTed to'],
  )
  command(
    'set-events',
    'choose which events the URL gets in addition to received messages',
    async (context, userId, lineId, types) => {
      const optInEvents = types.split(/[\s,]+/).filter((type) => type !== '')
      await changeConnection(context, userId, lineId, { optInEvents })
      return `events in addition to received messages: ${optInEvents.join(', ') || 'none'}`
    },
    ['<types>', `${LINE_OPT_IN_EVENT_TYPES.join(',')}; empty for none`],
  )
  command('disconnect', 'disable it and delete the incoming webhook', async (context, userId, lineId) => {
    await disconnect(context, userId, lineId)
    return 'developer connection disabled, incoming webhook deleted'
  })
}
