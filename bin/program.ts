import { Command } from 'commander'
import { readVersion } from '../src/config/version.js'

/** Every command, in the order of the help text. Each has a file of the same name, except `restore`. */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  start: async () => (await import('./commands/operating/start.js')).addStartCommand,
  migrate: async () => (await import('./commands/operating/migrate.js')).addMigrateCommand,
  backup: async () => (await import('./commands/operating/backup.js')).addBackupCommand,
  restore: async () => (await import('./commands/operating/backup.js')).addRestoreCommand,
  doctor: async () => (await import('./commands/operating/doctor.js')).addDoctorCommand,
  status: async () => (await import('./commands/operating/status.js')).addStatusCommand,
  user: async () => (await import('./commands/user.js')).addUserCommands,
  token: async () => (await import('./commands/token.js')).addTokenCommands,
  carrier: async () => (await import('./commands/carrier.js')).addCarrierCommands,
  line: async () => (await import('./commands/line.js')).addLineCommands,
  connection: async () => (await import('./commands/connection.js')).addConnectionCommands,
  endpoint: async () => (await import('./commands/endpoint.js')).addEndpointCommands,
  webhook: async () => (await import('./commands/webhook.js')).addWebhookCommands,
  sending: async () => (await import('./commands/operating/sending.js')).addSendingCommands,
  message: async () => (await import('./commands/message.js')).addMessageCommands,
  usage: async () => (await import('./commands/usage.js')).addUsageCommand,
  contact: async () => (await import('./commands/contact.js')).addContactCommands,
  delivery: async () => (await import('./commands/delivery.js')).addDeliveryCommands,
  event: async () => (await import('./commands/event.js')).addEventCommands,
  task: async () => (await import('./commands/task.js')).addTaskCommands,
  audit: async () => (await import('./commands/operating/audit.js')).addAuditCommand,
  person: async () => (await import('./commands/operating/person.js')).addPersonCommands,
  export: async () => (await import('./commands/operating/export.js')).addExportCommands,
  retention: async () => (await import('./commands/operating/retention.js')).addRetentionCommands,
  tail: async () => (await import('./commands/tail.js')).addTailCommand,
  listen: async () => (await import('./commands/listen.js')).addListenCommand,
  trigger: async () => (await import('./commands/trigger.js')).addTriggerCommand,
  secrets: async () => (await import('./commands/operating/secrets.js')).addSecretsCommands,
}

/**
 * The command line. If it is asked for one command, only that one is loaded: all of them import most of the service,
 * which takes half a second. Help, completion and an unknown name need all.
 *
 * @param asked the arguments, without the program's name; the default loads every command
 */
export async function createProgram(asked: readonly string[] = []): Promise<Command> {
  const isJson = asked.includes('--json')
  const program = new Command('linehook')
    .description('Turns phone lines into webhooks.')
    .version(readVersion())
    .showHelpAfterError(isJson ? false : 'Add --help to see the commands and options.')
    .configureOutput(isJson ? { outputError: printAsJson } : {})
    .option('--json', 'print JSON (before or after the command)')
    .hook('preAction', passJsonOn)
  // Scripts ask for the version often, and it needs no command.
  if (['--version', '-V'].includes(asked[0] ?? '')) return program
  // The program's own options take no value.
  const name = asked.find((each) => !each.startsWith('-')) ?? ''
  const only = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (only !== undefined) (await only())(program)
  else {
    for (const add of await Promise.all(Object.values(COMMANDS).map((load) => load()))) add(program)
    await addCompletion(program)
  }
  return program
}

/** A program that reads the answers as JSON gets refusals as JSON, too. */
function printAsJson(said: string, write: (text: string) => void): void {
  write(`${JSON.stringify({ error: said.replace(/^error: /, '').trim() })}\n`)
}

/**
 * This comes last, because it reads the commands that exist. The package also adds a command that the shells' scripts
 * call.
 */
async function addCompletion(program: Command): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander')
  tab(program, { completionCommandName: 'completion' })
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print a completion script for bash, zsh, fish or powershell')
}

/**
 * The program takes `--json` in any position, but each command reads options that belong to it. So it is passed on.
 */
function passJsonOn(program: Command, command: Command): void {
  if (program.getOptionValue('json') !== true) return
  if (!command.options.some(({ long }) => long === '--json')) command.error("error: unknown option '--json'")
  command.setOptionValue('json', true)
}
