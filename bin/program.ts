import { Command } from 'commander'
import { readVersion } from '../src/config.js'
import { addAuditCommand } from './commands/audit.js'
import { addCarrierCommands } from './commands/carrier.js'
import { addConnectionCommands } from './commands/connection.js'
import { addLineCommands } from './commands/line.js'
import { addMigrateCommand } from './commands/migrate.js'
import { addStartCommand } from './commands/start.js'
import { addTokenCommands } from './commands/token.js'
import { addUserCommands } from './commands/user.js'
import { addWebhookCommands } from './commands/webhook.js'

/** Every command, in the order of the help text. */
export function createProgram(): Command {
  const program = new Command('linehook')
    .description('Turns phone lines into webhooks.')
    .version(readVersion())
    .showHelpAfterError()
    .option('--json', 'print JSON: before or after the command')
    .hook('preAction', passJsonOn)
  addStartCommand(program)
  addMigrateCommand(program)
  addUserCommands(program)
  addTokenCommands(program)
  addCarrierCommands(program)
  addLineCommands(program)
  addConnectionCommands(program)
  addWebhookCommands(program)
  addAuditCommand(program)
  return program
}

/** The program takes the option wherever it stands; commands read their own. */
function passJsonOn(program: Command, command: Command): void {
  if (program.getOptionValue('json') !== true) return
  if (!command.options.some(({ long }) => long === '--json')) command.error("error: unknown option '--json'")
  command.setOptionValue('json', true)
}
