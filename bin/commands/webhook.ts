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
    .description('create it and print its URL, which is a secret')
    .argument('<line>', 'id or number')
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
    .description('give it a new token and print its URL')
    .argument('<line>', 'id or number')
    .option(
      '--overlap <seconds>',
      `how long the old token still works, at most ${MAX_OVERLAP_SECONDS} (0)`,
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
    .description('delete it: its URL answers 404')
    .argument('<line>', 'id or number')
    .option('--json', 'print JSON')
    .action((reference: string, options: { json?: boolean }) =>
      run(options, async (context) => {
        const { id, userId, number } = await getAnyLine(context, reference)
        await removeIncomingWebhook(context, userId, id)
        return { result: { id, deleted: true }, lines: [`incoming webhook of ${number} deleted`] }
      }),
    )
}
