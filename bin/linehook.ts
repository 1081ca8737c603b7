#!/usr/bin/env node
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { keepCompiled } from '../src/kit/process/compile-cache.js'
import { hideKnownWarnings } from '../src/kit/process/foreign-warnings.js'
import { loadProcess } from '../src/kit/process/stop-request.js'

// A service that is asked to stop has done its work, so it ends with 0. Any other command that is interrupted has
// failed.
if (process.argv[2] === 'start') await loadProcess(runCommand)
else {
  endWithReader()
  hideKnownWarnings()
  keepCompiled()
  await runCommand()
}

/** A reader such as `head` may have seen enough. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    process.stderr.write(`The output could not be written (${error.code ?? error.message})\n`)
    process.exit(1)
  })
}

async function runCommand(): Promise<void> {
  const asked = process.argv.slice(2)
  try {
    loadEnvFile()
    const { createProgram } = await import('./program.js')
    await (await createProgram(asked)).parseAsync()
  } catch (error) {
    const { describeFault } = await import('./file-fault.js')
    const fault = describeFault(error)
    // Any other error is unexpected, so a person gets it with its stack.
    if (!asked.includes('--json') && fault === undefined) throw error
    const said = fault ?? (error instanceof Error ? error.message : String(error))
    process.stderr.write(asked.includes('--json') ? `${JSON.stringify({ error: said })}\n` : `${said}\n`)
    process.exitCode = 1
  }
}

/**
 * As usual, the file does not replace variables that the environment has. `process.loadEnvFile` is not used, because it
 * says of a file that this user may not read that there is none. A folder of this name is somebody else's, such as the
 * virtual environment of a Python project.
 */
function loadEnvFile(): void {
  if (statSync('.env', { throwIfNoEntry: false })?.isDirectory() !== false) return
  for (const [name, value] of Object.entries(parseEnv(readFileSync('.env', 'utf8'))))
    process.env[name] ??= value
}
