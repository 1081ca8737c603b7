import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { readVersion } from '../src/config.js'
import { addAuditCommand } from './commands/audit.js'
import { addCarrierCommands } from './commands/carrier.js'
import { addConnectionCommands } from './commands/connection.js'
import { addContactCommands } from './commands/contact.js'
import { addDeliveryCommands } from './commands/delivery.js'
import { addDoctorCommand } from './commands/doctor.js'
import { addEndpointCommands } from './commands/endpoint.js'
import { addEventCommands } from './commands/event.js'
import { addWorkCommands } from './commands/work.js'
import { addExportCommands } from './commands/export.js'
import { addLineCommands } from './commands/line.js'
import { addListenCommand } from './commands/listen.js'
import { addMessageCommands } from './commands/message.js'
import { addMigrateCommand } from './commands/migrate.js'
import { addPersonCommands } from './commands/person.js'
import { addRetentionCommands } from './commands/retention.js'
import { addSecretsCommands } from './commands/secrets.js'
import { addSendingCommands } from './commands/sending.js'
import { addStartCommand } from './commands/start.js'
import { addStatusCommand } from './commands/status.js'
import { addTailCommand } from './commands/tail.js'
import { addTriggerCommand } from './commands/trigger.js'
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
  addDoctorCommand(program)
  addStatusCommand(program)
  addUserCommands(program)
  addTokenCommands(program)
  addCarrierCommands(program)
  addLineCommands(program)
  addConnectionCommands(program)
  addEndpointCommands(program)
  addWebhookCommands(program)
  addSendingCommands(program)
  addMessageCommands(program)
  addContactCommands(program)
  addDeliveryCommands(program)
  addEventCommands(program)
  addWorkCommands(program)
  addAuditCommand(program)
  addPersonCommands(program)
  addExportCommands(program)
  addRetentionCommands(program)
  addTailCommand(program)
  addListenCommand(program)
  addTriggerCommand(program)
  addSecretsCommands(program)
  addCompletion(program)
  return program
}

/** Last, because it reads the commands that there are. Beside it the package adds one that the shells' scripts call. */
function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' })
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description(
      'print a script with which a shell completes commands and options: bash, zsh, fish or powershell',
    )
}

/** The program takes `--json` wherever it stands, but each command reads an option of its own. So it is passed on. */
function passJsonOn(program: Command, command: Command): void {
  if (program.getOptionValue('json') !== true) return
  if (!command.options.some(({ long }) => long === '--json')) command.error("error: unknown option '--json'")
  command.setOptionValue('json', true)
}
