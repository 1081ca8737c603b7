#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { readVersion } from '../src/config.js'
import { addConnectionCommands } from './commands/connection.js'
import { addLineCommands } from './commands/line.js'
import { addMigrateCommand } from './commands/migrate.js'
import { addStartCommand } from './commands/start.js'
import { addUserCommands } from './commands/user.js'
import { addWebhookCommands } from './commands/webhook.js'

// The environment wins over the file, as everywhere.
if (existsSync('.env')) process.loadEnvFile('.env')

const program = new Command('linehook')
  .description('Turns phone lines into webhooks.')
  .version(readVersion())
  .showHelpAfterError()

addStartCommand(program)
addMigrateCommand(program)
addUserCommands(program)
addLineCommands(program)
addConnectionCommands(program)
addWebhookCommands(program)

await program.parseAsync()
