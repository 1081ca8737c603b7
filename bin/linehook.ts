#!/usr/bin/env node
import { existsSync } from 'node:fs'
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
  // As usual, the file does not replace variables that the environment has.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const asked = process.argv.slice(2)
  const { createProgram } = await import('./program.js')
  try {
    await (await createProgram(asked)).parseAsync()
  } catch (error) {
    const { describeFileFault } = await import('./file-fault.js')
    const fileFault = describeFileFault(error)
    // Any other error is unexpected, so a person gets it with its stack.
    if (!asked.includes('--json') && fileFault === undefined) throw error
    const said = fileFault ?? (error instanceof Error ? error.message : String(error))
    process.stderr.write(asked.includes('--json') ? `${JSON.stringify({ error: said })}\n` : `${said}\n`)
    process.exitCode = 1
  }
}
