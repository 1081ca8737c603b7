#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { loadProcess } from '../src/stop-request.js'

// A service that is told to stop has done what it should; another command that was broken off has not.
await (process.argv[2] === 'start' ? loadProcess(runCommand) : runCommand())

async function runCommand(): Promise<void> {
  // The environment wins over the file, as everywhere.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { createProgram } = await import('./program.js')
  await createProgram().parseAsync()
}
