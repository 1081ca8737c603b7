import type { Command } from 'commander'
import {
  createIncomingWebhook,
  regenerateToken,
  removeIncomingWebhook,
} from '../../src/domain/lines/incoming-webhooks.js'
import { MAX_OVERLAP_SECONDS } from '../../src/domain/overlap.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { commandsAbout } from '../subject-command.js'
import { wholeNumber } from '../whole-number.js'
import { LINE } from './line.js'

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description("a line's incoming webhook")

  const about = commandsAbout(webhook, LINE, getAnyLine)

  about(
    'create',
    'create the webhook and print its URL, which is a secret',
    async (context, { id, userId }) => {
      const created = await createIncomingWebhook(context, userId, id)
      return { result: created, lines: [created.url] }
    },
  )

  about(
    'regenerate',
    'create a new token and print the new URL',
    async (context, { id, userId }, { overlap }: { overlap?: number }) => {
      const regenerated = await regenerateToken(context, userId, id, overlap)
      return { result: regenerated, lines: [regenerated.url] }
    },
    (command) =>
      command.option(
        '--overlap <seconds>',
        `how long the old token keeps working, at most ${MAX_OVERLAP_SECONDS} (0)`,
        wholeNumber,
      ),
  )

  about('delete', 'delete the webhook; its URL then returns 404', async (context, { id, userId, number }) => {
    await removeIncomingWebhook(context, userId, id)
    return { result: { id, deleted: true }, lines: [`incoming webhook of ${number} deleted`] }
  })
}
