import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { inboundOf, textOf } from './smsc/messages.js'
import { startSmsc } from './smsc/server.js'

/**
 * An SMSC to develop against, and for tests that kill it. It prints each message that it accepts as a line of JSON. It
 * reads lines such as `+15005550199 +15550000001 Hello`, and delivers each as a message.
 *
 * SMSC_PORT is the port on loopback where it listens. SMSC_PASSWORD is the password that a bind must have. SMSC_RECORD is a
 * file to which it also writes the messages that it accepts. SMSC_BINDS names the kinds of bind that it accepts, such as
 * `transmitter,receiver`. SMSC_MAX_SESSIONS is how many sessions may be bound. SMSC_DELAY_MS delays its answers,
 * SMSC_THROTTLE_EVERY=3 throttles every third message, and SMSC_RECEIPTS=true makes it send receipts.
 */
const {
  SMSC_PORT = '2775',
  SMSC_PASSWORD,
  SMSC_RECORD,
  SMSC_BINDS,
  SMSC_MAX_SESSIONS,
  SMSC_DELAY_MS,
  SMSC_THROTTLE_EVERY,
  SMSC_RECEIPTS,
} = process.env
const smsc = await startSmsc({
  port: Number(SMSC_PORT),
  // The ids must differ from those that it gave before it was started again.
  firstId: Date.now(),
  delayMs: Number(SMSC_DELAY_MS ?? 0),
  receipts: SMSC_RECEIPTS === 'true',
  ...(SMSC_PASSWORD === undefined ? {} : { password: SMSC_PASSWORD }),
  ...(SMSC_BINDS === undefined ? {} : { binds: SMSC_BINDS.split(',').map((kind) => `bind_${kind}`) }),
  ...(SMSC_MAX_SESSIONS === undefined ? {} : { maxSessions: Number(SMSC_MAX_SESSIONS) }),
  refuse: (nth) => (nth % Number(SMSC_THROTTLE_EVERY) === 0 ? 'ESME_RTHROTTLED' : undefined),
  onTaken: (taken) => {
    const line = `${JSON.stringify({ id: taken.id, from: taken.from, to: taken.to, text: textOf(taken) })}\n`
    // This is synchronous, because the process may be killed right after the answer.
    if (SMSC_RECORD !== undefined) appendFileSync(SMSC_RECORD, line)
    process.stdout.write(line)
  },
})
process.stdout.write(`${JSON.stringify({ msg: 'smsc.started', port: smsc.port })}\n`)
process.on('SIGTERM', () => process.exit(0))
for await (const line of createInterface({ input: process.stdin })) {
  const [, from, to, text] = /^(\+\d+) (\+\d+) (.+)$/.exec(line) ?? []
  if (from !== undefined && to !== undefined && text !== undefined) smsc.bring(inboundOf(from, to, text))
  else process.stdout.write('write a line as: from-number to-number text\n')
}
