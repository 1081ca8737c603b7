import type { Command } from 'commander'
import { createOverviewReader } from '../../../src/domain/operating/overview/overview.js'
import { describeStatus } from '../../status-lines.js'
import { run } from '../../run.js'
import { whenSettled } from '../../../src/kit/redis/redis.js'

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description(
      'show the state of the service: what needs attention, the last hour, queues, carriers, Postgres and Redis',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(options, async (context) => {
        await whenSettled(context.redis)
        // The command may run on another machine than `web`, where the folder for media is another one or does not
        // exist.
        const overview = await createOverviewReader(context, { writes: false }).read('1h')
        const hasColours = process.stdout.isTTY && process.stdout.hasColors()
        return { result: overview, lines: describeStatus(overview, context.config, hasColours), hasColours }
      }),
    )
}
