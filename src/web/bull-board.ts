import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import type { Middleware } from 'koa'
import type { Context } from '../domain/context.js'
import { tryJobNow } from '../domain/try-job-now.js'
import { describeJobs } from '../domain/job-subjects.js'
import type { QueueName } from '../queues/queues.js'
import { assetPath } from './assets.js'
import { answerBoardFile } from './board-files.js'
import { boardTheme } from './board-theme.js'
import { brandingOf } from './branding.js'

/**
 * The operators' view of the queues. Jobs carry only ids; their subjects are looked up for each page. Nothing can be
 * changed unless the operator allows it, and then nothing can be lost: rows that should have a job get one from the
 * sweep, and a promoted job is tried now as by its owner.
 */
export function bullBoard(context: Context, path: string): Middleware {
  const { name, logo, logoWidth } = brandingOf(context.config)
  const adapter = new KoaAdapter()
  adapter.setBasePath(path)
  createBullBoard({
    queues: context.queues.all.map((queue) => new DescribedQueue(context, queue)),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: `${name} queues`,
        boardLogo: { path: logo, width: logoWidth, height: 24 },
        favIcon: { default: logo, alternative: logo },
        theme: boardTheme(context.config.brand.color),
        // It leads to the documentation of the package, which operators need not know.
        hideDocsLink: true,
        miscLinks: [{ text: 'Back to the console', url: '/console' }],
      },
    },
  })
  const plugin = adapter.registerPlugin()
  const files = `${path}/static/`
  const shell = shellOf(name)
  return async (ctx, next) => {
    if (ctx.path.startsWith(files) && (await answerBoardFile(ctx, ctx.path.slice(files.length)))) return
    await plugin(ctx, next)
    if (typeof ctx.body === 'string')
      ctx.body = ctx.body.replace(FONTS_OF_OTHERS, OWN_FILES).replace(NO_INDEX, '').replace(WAITING, shell)
  }
}

/** What its page shows until its scripts have drawn it: a dark ground with the word "Loading", in light looks too. */
const WAITING = /<div id="root">.*?<\/style>\s*<\/div>/s

/** In its place: what the queues are for, which can be read at once. */
function shellOf(name: string): string {
  const queues = Object.entries(DESCRIPTIONS).map(([queue, text]) => `<dt>${queue}</dt><dd>${text}</dd>`)
  const title = `${name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')} queues`
  return `<div id="root"><main class="waiting"><h1>${title}</h1><dl>${queues.join('')}</dl><p>Loading…</p></main></div>`
}

/** Search engines cannot sign in, so they find no page to list. */
const NO_INDEX = '<meta name="robots" content="noindex" />'

/** Its page asks another host for its fonts, which the Content-Security-Policy refuses. */
const FONTS_OF_OTHERS = /<link[^>]+href="https:\/\/fonts\.[^>]*>/
const OWN_FILES =
  `<link rel="preload" href="${assetPath('inter-latin.woff2')}" as="font" type="font/woff2" crossorigin="anonymous">` +
  (['fonts.css', 'board.css'] as const)
    .map((name) => `<link rel="stylesheet" href="${assetPath(name)}">`)
    .join('') +
  `<script src="${assetPath('board.js')}" defer></script>` +
  '<meta name="description" content="The queues: jobs that are waiting, running or failed.">'

const DESCRIPTIONS: Record<QueueName, string> = {
  'send-message': 'One job per message to send. A message that is waiting for a rate limit is delayed.',
  'deliver-event': 'One job per endpoint with waiting events. It is delayed between attempts.',
  'fetch-media': 'One job per picture, file or recording to copy.',
  maintenance:
    'Housekeeping and background tasks such as replays, with their progress. Every few seconds, it recovers messages and events that have lost their job or their worker.',
}

interface BoardJob {
  name: string
  data: unknown
}

class DescribedQueue extends BullMQAdapter {
  readonly #context: Context
  readonly #queue: QueueName
  /** The subjects by the data of a job, which its formatted copy has too. */
  readonly #subjects = new WeakMap<object, string>()

  constructor(context: Context, queue: Context['queues']['all'][number]) {
    const name = queue.name as QueueName
    super(queue, {
      readOnlyMode: !context.config.queuesWritable,
      description: DESCRIPTIONS[name],
      externalJobUrl: ({ data }) => {
        const id = idOf(data)
        return id === undefined
          ? { href: '/console' }
          : { displayText: 'In the console', href: `/console/search?q=${encodeURIComponent(id)}` }
      },
    })
    this.#context = context
    this.#queue = name
    this.setFormatter('name', ({ data, name: ownName }: BoardJob) => this.#subjectOf(data) ?? ownName)
  }

  override async getJob(...given: Parameters<BullMQAdapter['getJob']>) {
    const job = await super.getJob(...given)
    if (job) await this.#describe([job as BoardJob])
    return job && this.#promotedByRow(job)
  }

  /** The row decides when its time has come: a promoted job alone would look at it and wait again. */
  #promotedByRow<Job extends { data: unknown; promote: () => Promise<void> }>(job: Job): Job {
    const promote = job.promote.bind(job)
    const id = idOf(job.data)
    job.promote = async () => {
      if (id !== undefined) await tryJobNow(this.#context, this.#queue, id)
      await promote()
    }
    return job
  }

  override async getJobs(...given: Parameters<BullMQAdapter['getJobs']>) {
    const jobs = await super.getJobs(...given)
    await this.#describe(jobs as BoardJob[])
    return jobs
  }

  async #describe(jobs: readonly BoardJob[]): Promise<void> {
    const ids = jobs.map(({ data }) => idOf(data))
    const subjects = await describeJobs(this.#context, this.#queue, ids)
    for (const [n, { data }] of jobs.entries()) {
      const words = subjects.get(ids[n])
      if (words !== undefined && isObject(data)) this.#subjects.set(data, words)
    }
  }

  #subjectOf(data: unknown): string | undefined {
    return isObject(data) ? this.#subjects.get(data) : undefined
  }
}

function idOf(data: unknown): string | undefined {
  return isObject(data) && 'id' in data && typeof data.id === 'string' ? data.id : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
