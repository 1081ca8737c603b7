import type { Command } from 'commander'
import { resealSecrets } from '../../../src/domain/operating/sealed-secrets.js'
import { run } from '../../run.js'

export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('secrets encrypted with ENCRYPTION_KEY')

  secrets
    .command('reseal')
    .description(
      're-encrypt all secrets with the first key of ENCRYPTION_KEY, so that you can remove the others',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(options, async (context) => {
        const done = await resealSecrets(context)
        const { resealedCount, currentCount, unreadable } = done
        if (unreadable.length > 0) process.exitCode = 1
        return {
          result: done,
          lines: [
            `${resealedCount} re-encrypted with the first key, ${currentCount} already used it`,
            ...unreadable.map((place) => `no key in ENCRYPTION_KEY decrypts ${place}`),
            unreadable.length === 0
              ? 'Every secret uses the first key. You can remove the others from ENCRYPTION_KEY.'
              : 'Keep all keys. Add the missing one, or enter these secrets again.',
          ],
        }
      }),
    )
}
