import { openContext, WEB_LIMITS } from '../domain/open-context.js'
import { warnOfSharedRedis } from '../domain/operating/shared-redis.js'
import { createStoreReadings } from '../domain/operating/store-readings.js'
import { warmUp } from '../domain/warm-up.js'
import { isProxyUntold } from '../network.js'
import { closeOnSignal } from '../kit/process/shutdown.js'
import { openMetrics } from '../telemetry/metrics-server.js'
import { closeTraces, openTraces } from '../telemetry/traces.js'
import { createApp } from './app.js'
import { listen, type WebServer } from './listening/listen.js'

/** It works on older versions too, which are no longer maintained (https://nodejs.org/en/about/previous-releases). */
const OLDEST_MAINTAINED_NODE = 22

/** The process type `web`: the API and the dashboard. */
const context = openContext('web', WEB_LIMITS)
const { config, log } = context
await openMetrics('web', config, createStoreReadings(context))
await openTraces('web', config, log)
await warmUp(context, ['queue_messages', 'receive_messages'])
const server = await open()
log.info({ host: config.host, port: config.port }, 'process.started')
void warnOfSharedRedis(context)
if (Number(process.versions.node.split('.')[0]) < OLDEST_MAINTAINED_NODE) {
  const advice = 'This version of Node no longer gets security updates. Use 22 or 24'
  log.warn({ node: process.version, advice }, 'node.outdated')
}
if (isProxyUntold(config)) {
  const advice =
    'PUBLIC_URL is https, so web must be behind a proxy. With TRUSTED_PROXY_HOPS=0, every request appears to come ' +
    'from the proxy. Set it to the number of proxies that set X-Forwarded-For'
  log.warn({ advice }, 'proxy.untold')
}

closeOnSignal(log, [
  { name: 'server', close: () => server.close() },
  { name: 'traces', close: closeTraces },
  { name: 'connections', close: () => context.close() },
])

async function open(): Promise<WebServer> {
  try {
    return await listen(createApp(context).callback(), config, {
      acceptDelay: {
        onChange: (isTooLong, waitedMs) => {
          if (isTooLong) log.warn({ waitedMs: Math.round(waitedMs) }, 'requests.turned_away')
          else log.info('requests.let_in')
        },
      },
    })
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    process.stderr.write(
      isBusy
        ? `Port ${config.port} is in use. Stop the program that uses it, or set PORT to another port.\n`
        : `Cannot listen on ${config.host}:${config.port}: ${(error as Error).message}\n`,
    )
    process.exit(1)
  }
}
