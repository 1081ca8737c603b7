import { createServer } from 'node:http'
import { ConfigInvalid, readConfig } from './config.js'
import { createContext, type Context } from './domain/context.js'
import { closeOnSignal } from './shutdown.js'
import { createApp } from './web/app.js'
import { listen } from './web/listen.js'

/** Process type `web`: the API and the dashboard. */
const context = openContext()
const { config, log } = context
const handle = createApp(context).callback()
const server = createServer((request, response) => {
  // Koa answers every failure itself; its promise has nothing to say.
  void handle(request, response)
})

try {
  await listen(server, config)
} catch (error) {
  const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  process.stderr.write(
    isBusy
      ? `Port ${config.port} is in use: stop the program that has it, or set PORT to another one.\n`
      : `Cannot listen on ${config.host}:${config.port}: ${(error as Error).message}\n`,
  )
  process.exit(1)
}
log.info({ host: config.host, port: config.port }, 'process.started')

closeOnSignal(
  log,
  [
    { name: 'server', close: () => closeServer() },
    { name: 'connections', close: () => context.close() },
  ],
  config.startedByPid,
)

/** Stops listening, answers what is under way, and lets idle connections go. */
function closeServer(): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeIdleConnections()
  })
}

function openContext(): Context {
  try {
    return createContext(readConfig(), { process: 'web' })
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
