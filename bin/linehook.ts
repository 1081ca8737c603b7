#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { loadProcess } from '../src/stop-request.js'

// A service that is told to stop has done its work, so it ends with 0. Another command that is interrupted has failed.
await (process.argv[2] === 'start' ? loadProcess(runCommand) : runCommand())

async function runCommand(): Promise<void> {
  // The file does not replace variables that the environment has, as everywhere.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { createProgram } = await import('./program.js')
  await createProgram().parseAsync()
}
