import { crashesIsolated, isolatedJob, MARGIN_MS } from '../../workers/isolated-job.js'

/** Runs itself as an isolated job that does what the argument says, and prints whether that was a crash. */
const word = isolatedJob()
if (word === undefined) {
  const asked = process.argv[2]
  const timeoutMs = asked === 'hang' ? 1000 : 60_000
  console.log(JSON.stringify(await crashesIsolated('scripted', asked, timeoutMs - MARGIN_MS)))
} else if (word === 'throw') throw new Error('nobody expected this')
else if (word === 'abort') process.abort()
else if (word === 'be killed') process.kill(process.pid, 'SIGKILL')
else if (word === 'hang') for (;;);
else process.exit(0)
