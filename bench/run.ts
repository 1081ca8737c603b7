import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { measureAccept, measureBareKoa } from './accept.js'
import { measureDeliver, measurePlainPosts } from './deliver.js'
import { openBench } from './harness.js'
import { measurePlainJobs, measureSend } from './send.js'

/**
 * Bounded loads on loopback, each beside the measure that it is compared with; figures move from machine to
 * machine, ratios do not. Run by hand: `npm run bench` (after `npm run build`).
 */
const bench = await openBench()
try {
  const bareKoa = await measureBareKoa()
  const accept = await measureAccept(bench)
  const plainJobs = await measurePlainJobs(bench)
  const send = await measureSend(bench)
  const plainPosts = await measurePlainPosts(bench)
  const deliver = await measureDeliver(bench)
  const results = [
    row('accept', accept.perSecond, 'bare Koa', bareKoa.perSecond, 0.3),
    row('send', send, 'BullMQ job with one SQL update', plainJobs, 0.5),
    row('deliver', deliver, 'BullMQ job that signs and POSTs', plainPosts, 0.5),
  ]
  console.table(results)
  mkdirSync('bench/results', { recursive: true })
  const date = new Date().toISOString().slice(0, 10)
  const machine = { node: process.version, cores: cpus().length }
  writeFileSync(
    `bench/results/${date}.json`,
    `${JSON.stringify({ date, machine, acceptP99Ms: accept.p99Ms, results }, null, 2)}\n`,
  )
} finally {
  await bench.close()
}

function row(what: string, perSecond: number, beside: string, measure: number, goal: number) {
  return {
    what,
    perSecond: Math.round(perSecond),
    beside,
    measure: Math.round(measure),
    ratio: Number((perSecond / measure).toFixed(2)),
    goal,
  }
}
