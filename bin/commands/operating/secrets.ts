import type { Command } from 'commander'
import { resealSecrets } from '../../../src/domain/operating/sealed-secrets.js'
import { run } from '../../run.js'

export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('secrets at rest, which ENCRYPTION_KEY opens')

  secrets
    .command('reseal')
    .description('put all of them under the first key of ENCRYPTION_KEY, so that the others can go')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(options, async (context) => {
        const done = await resealSecrets(context)
        const { resealedCount, currentCount, unreadable } = done
        if (unreadable.length > 0) process.exitCode = 1
        return {
          result: done,
          lines: [
            `${resealedCount} put under the first key, ${currentCount} were under it already`,
            ...unreadable.map((place) => `no key of ENCRYPTION_KEY opens ${place}`),
            unreadable.length === 0
              ? 'Every secret is under the first key: the others can be taken out of ENCRYPTION_KEY.'
              : 'Keep all keys. Add the one that is missing, or write these secrets anew.',
          ],
        }
      }),
    )
}
