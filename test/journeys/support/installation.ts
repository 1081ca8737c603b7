import type { Suite } from 'mocha'
import type { Context } from '../../../src/domain/context.js'
import type { Environment } from '../../helpers/process/environment.js'
import {
  startProcess,
  startWeb,
  startWorkers,
  stopProcesses,
  type ProcessName,
  type RunningProcess,
  type RunningWeb,
} from '../../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../../helpers/services/receiver.js'
import { openedLater } from '../../helpers/suite.js'
import { createInstallation } from './steps.js'

export interface Installation {
  environment: Environment
  /** Over the same data, to look and to seed with. */
  context: Context
  /** A server of a developer, which answers 200. */
  receiver: Receiver
  running: {
    /** Of `web`, where there is one. */
    url: string
    /** In the order in which they are named; the one of `workers` is the last. */
    processes: RunningProcess[]
  }
}

interface Options {
  processes: readonly ProcessName[]
  /** Those that run together in one more process. */
  workers?: readonly ProcessName[]
  /** What differs from the configuration that tests have otherwise. A function is called when the suite begins. */
  environment?: Environment | (() => Environment | Promise<Environment>)
}

/** A `describe` of processes as they are built, with stores of their own. They are ended after its tests. */
export function describeInstallation(
  title: string,
  { processes, workers = [], environment: overrides = {} }: Options,
  body: (this: Suite, installation: Installation) => void,
): void {
  describe(title, function () {
    this.timeout(240_000)
    const environment: Environment = {}
    const receiver = openedLater(startReceiver)
    const context = openedLater(async () => {
      const installation = await createInstallation(
        typeof overrides === 'function' ? await overrides() : overrides,
      )
      Object.assign(environment, installation.environment)
      return installation.context
    })
    const running = openedLater(async () => {
      const started = await Promise.all([
        ...processes.map((name) =>
          name === 'web' ? startWeb(environment) : startProcess(name, environment),
        ),
        ...(workers.length > 0 ? [startWorkers(workers, environment)] : []),
      ])
      const web = started[processes.indexOf('web')] as RunningWeb | undefined
      return { url: web?.url ?? '', processes: started, close: stopProcesses }
    })
    for (const { open } of [receiver, context, running]) before(open)
    body.call(this, {
      environment,
      context: context.object,
      receiver: receiver.object,
      running: running.object,
    })
    for (const { close } of [running, context, receiver]) after(close)
  })
}
