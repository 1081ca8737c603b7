import type { Command } from 'commander'
import { start, StartRefused } from '../../../dev/start/start.js'

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description(
      'run every process of the Procfile, with embedded Postgres and Redis where none are configured',
    )
    .option('--watch', 'run from the sources and start again when they change')
    .option('--small', 'run all workers in one process: by itself where there is less than 1 GiB of memory')
    .option('--no-small', 'run each worker in a process of its own, whatever memory there is')
    .action(async (options: { watch?: boolean; small?: boolean }) => {
      try {
        await start({ watch: options.watch === true, small: options.small })
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error
        process.stderr.write(`${error.message}\n`)
        process.exitCode = 1
      }
    })
}
