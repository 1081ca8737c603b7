import type { Command } from 'commander'
import { start, StartRefused } from '../../dev/start.js'

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description(
      'run every process of the Procfile, with embedded Postgres and Redis where none are configured',
    )
    .option('--watch', 'run from the sources and start again when they change')
    .action(async (options: { watch?: boolean }) => {
      try {
        await start({ watch: options.watch === true })
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error
        process.stderr.write(`${error.message}\n`)
        process.exitCode = 1
      }
    })
}
