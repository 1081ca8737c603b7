import type { Command } from 'commander'
import { start, StartRefused } from '../../../dev/start/start.js'
import { explain, refuse } from '../../run.js'

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('run all processes of the Procfile, with embedded Postgres and Redis if none are configured')
    .option('--watch', 'run from the sources and restart when they change')
    .option('--small', 'run all workers in one process (default with less than 1 GiB of memory)')
    .option('--no-small', 'run each worker in its own process, regardless of memory')
    .action(async (options: { watch?: boolean; small?: boolean }) => {
      try {
        await start({ watch: options.watch === true, small: options.small })
      } catch (error) {
        refuse({}, error instanceof StartRefused ? error.message : explain(error))
      }
    })
}
