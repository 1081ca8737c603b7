import type { JobsOptions, Queue } from 'bullmq'
import { addStandardJob } from 'bullmq/dist/cjs/scripts/addStandardJob-9.js'
import type { Redis } from 'ioredis'

export interface NewJob {
  id: string
  data: object
}

/** The jobs that one call adds. They take Redis about 2 ms, which is the longest that another command waits for it. */
const MOST_AT_ONCE = 100

/**
 * Runs BullMQ's own script, which adds one job, for many jobs in one call. (`addBulk` makes a call and an object for
 * each job.) The jobs and events are made by that script, so they are the same as BullMQ's; a test compares them.
 */
const script = `
local function add(KEYS, ARGV)
${addStandardJob.content}
end
local given = ARGV
for n = 5, #given, 2 do
  local opts = cjson.decode(given[4])
  opts['jobId'] = given[n]
  add(KEYS, { cmsgpack.pack({ given[1], given[n], given[2], given[3] }), given[n + 1], cmsgpack.pack(opts) })
end`

const COMMAND = 'addJobsTogether'

type WithScript = Redis & Record<typeof COMMAND, (keyCount: number, ...args: string[]) => Promise<null>>

/**
 * Adds jobs that are to run now, with the queue's default options and the given ones. A job whose id exists already
 * stays as it is.
 */
export async function addJobs(
  redis: Redis,
  queue: Queue,
  jobs: readonly NewJob[],
  more: Pick<JobsOptions, 'removeOnFail'> = {},
): Promise<void> {
  if (!(COMMAND in redis)) redis.defineCommand(COMMAND, { lua: script })
  const { keys } = queue
  const options = JSON.stringify({ attempts: 0, ...queue.jobsOpts, ...more })
  const timestamp = String(Date.now())
  for (let from = 0; from < jobs.length; from += MOST_AT_ONCE) {
    await (redis as WithScript)[COMMAND](
      addStandardJob.keys,
      ...KEYS.map((name) => keys[name] ?? ''),
      ...[keys[''] ?? '', queue.name, timestamp, options],
      ...jobs.slice(from, from + MOST_AT_ONCE).flatMap(({ id, data }) => [id, JSON.stringify(data)]),
    )
  }
}

/** The keys in the order in which BullMQ's script takes them. */
const KEYS = ['wait', 'paused', 'meta', 'id', 'completed', 'delayed', 'active', 'events', 'marker'] as const
