import type { Redis } from 'ioredis'
import { asError } from '../../errors.js'
import { every } from '../process/every.js'
import { newId } from '../../ids.js'
import { readList } from './list-reader.js'
import { redisAvailable } from './redis.js'
import type { Logger } from '../../telemetry/log.js'

/**
 * Questions to whichever process serves a name, and answers to them, by lists in Redis.
 *
 * Nothing may depend on it: questions and answers may be lost, and a question may be worked on after its asker has given
 * up. So a question only says which row to look at, and the asker asks again.
 */
export interface Calls {
  /** @throws Unavailable */
  ask(service: string, question: string, timeoutMs: number): Promise<Answer>
  /** Answers questions until it is closed, at most so many at a time; the others wait in Redis. */
  serve(
    service: string,
    options: { concurrency: number; answer: (question: string) => Promise<string> },
  ): { close(): Promise<void> }
  close(): Promise<void>
}

export type Answer =
  | { kind: 'answered'; text: string }
  /** Nobody serves it: the question was not asked. */
  | { kind: 'unserved' }
  /** It may have been worked on all the same. */
  | { kind: 'unanswered' }

/** A server that died is asked no more after this. It renews its name each second, so a renewal or two may fail. */
const SERVED_MS = 5000
const SERVED_RENEWED_MS = 1000
/**
 * After so long Redis deletes a list that nobody reads any more. A reader takes what comes within milliseconds, so a list
 * that is a minute old has none; if Redis kept it, each process that was killed would leave one behind.
 */
const FORGOTTEN_MS = 60_000

// KEYS who serves, questions · ARGV question, ms until it is forgotten · Gives 0 when nobody serves.
const ASK = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`

// KEYS as above · ARGV server · Gives the questions that it leaves behind, unless another serves by now.
const LEAVE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {} end
redis.call('DEL', KEYS[1])
local left = redis.call('LRANGE', KEYS[2], 0, -1)
redis.call('DEL', KEYS[2])
return left`

type WithScripts = Redis & {
  askService(...args: (string | number)[]): Promise<number>
  leaveService(...args: (string | number)[]): Promise<string[]>
}

interface Question {
  id: string
  answerTo: string
  text: string
}

/** @param connect makes a connection that waits for Redis, for reading only */
export function createCalls(redis: Redis, connect: () => Redis, log: Logger): Calls {
  redis.defineCommand('askService', { lua: ASK, numberOfKeys: 2 })
  redis.defineCommand('leaveService', { lua: LEAVE, numberOfKeys: 2 })
  const scripted = redis as WithScripts
  const answerTo = `lh:{${newId()}}:answers`
  const asked = new Map<string, (answer: Answer) => void>()
  /** The reader of answers, which the first question makes. */
  let answers: { close(): Promise<void> } | undefined

  function takeAnswer(line: string): void {
    const [id, text] = JSON.parse(line) as [string, string | null]
    asked.get(id)?.(text === null ? { kind: 'unanswered' } : { kind: 'answered', text })
  }

  /** An answer may be lost: the asker then asks again. */
  async function tell({ id, answerTo: to }: Question, text: string | null): Promise<void> {
    const line = JSON.stringify([id, text])
    await redis
      .multi()
      .rpush(to, line)
      .pexpire(to, FORGOTTEN_MS)
      .exec()
      .catch(() => undefined)
  }

  return {
    ask: async (service, text, timeoutMs) => {
      answers ??= readList(connect(), answerTo, { concurrency: Infinity, take: takeAnswer })
      const id = newId()
      const question: Question = { id, answerTo, text }
      const answered = new Promise<Answer>((resolve) => asked.set(id, resolve))
      const tooLate = setTimeout(() => asked.get(id)?.({ kind: 'unanswered' }), timeoutMs)
      try {
        const isServed = await redisAvailable(() =>
          scripted.askService(...keysOf(service), JSON.stringify(question), FORGOTTEN_MS),
        )
        return isServed === 0 ? { kind: 'unserved' } : await answered
      } finally {
        clearTimeout(tooLate)
        asked.delete(id)
      }
    },

    serve: (service, { concurrency, answer }) => {
      const [served, questions] = keysOf(service)
      const serverId = newId()
      // Redis says itself when it is away.
      const renew = () => redis.set(served, serverId, 'PX', SERVED_MS).catch(() => undefined)
      const renewing = every(SERVED_RENEWED_MS, renew, log, 'calls')
      const reader = readList(connect(), questions, {
        concurrency,
        take: async (line) => {
          const question = JSON.parse(line) as Question
          try {
            await tell(question, await answer(question.text))
          } catch (error) {
            log.error({ service, err: asError(error) }, 'call.failed')
            await tell(question, null)
          }
        },
      })
      return {
        close: async () => {
          await renewing.stop()
          const left = await scripted.leaveService(served, questions, serverId).catch(() => [])
          await Promise.all(left.map((line) => tell(JSON.parse(line) as Question, null)))
          await reader.close()
        },
      }
    },

    close: async () => {
      for (const settle of asked.values()) settle({ kind: 'unanswered' })
      await answers?.close()
    },
  }
}

/** In one hash slot, for the scripts. */
function keysOf(service: string): [served: string, questions: string] {
  return [`lh:{${service}}:served`, `lh:{${service}}:questions`]
}
