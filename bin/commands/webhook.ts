import type { Command } from 'commander'
import {
  createIncomingWebhook,
  MAX_OVERLAP_SECONDS,
  regenerateToken,
  removeIncomingWebhook,
} from '../../src/domain/lines/incoming-webhooks.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { run } from '../run.js'
import { wholeNumber } from './line.js'

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description("a line's incoming webhook")

  webhook
    .command('create')
    .description('create the webhook and print its URL, which is a secret')
    .argument('<line>', 'ID or number')
    .option('--json', 'print JSON')
    .action((reference: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id, userId } = await getAnyLine(context, reference)
        const created = await createIncomingWebhook(context, userId, id)
        return { result: created, lines: [created.url] }
      }),
    )

  webhook
    .command('regenerate')
    .description('create a new token and print the new URL')
    .argument('<line>', 'ID or number')
    .option(
      '--overlap <seconds>',
      `how long the old token keeps working, at most ${MAX_OVERLAP_SECONDS} (0)`,
      wholeNumber,
    )
    .option('--json', 'print JSON')
    .action((reference: string, options: { overlap?: number; json?: boolean }) =>
      run(options, async (context) => {
        const { id, userId } = await getAnyLine(context, reference)
        const regenerated = await regenerateToken(context, userId, id, options.overlap)
        return { result: regenerated, lines: [regenerated.url] }
      }),
    )

  webhook
    .command('delete')
    .description('delete the webhook; its URL then answers 404')
    .argument('<line>', 'ID or number')
    .option('--json', 'print JSON')
    .action((reference: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id, userId, number } = await getAnyLine(context, reference)
        await removeIncomingWebhook(context, userId, id)
        return { result: { id, deleted: true }, lines: [`incoming webhook of ${number} deleted`] }
      }),
    )
}
