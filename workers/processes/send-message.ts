import { countMessageCrash, sendMessage } from '../../src/domain/messages/send.js'
import { sendMessageJob } from '../../src/queues/jobs.js'
import { startWorker } from '../start-worker.js'
import { TryAgainIn } from '../worker-story.js'

/**
 * Sends queued messages to carriers.
 *
 * A job says "look at this message". If the line's windows are full, the job comes back when a slot opens. If an
 * earlier message to the same number is not finished, that message enqueues this one. Otherwise the row is claimed
 * (`sending`) and the carrier is called once. If a worker dies during the call, its lease expires and the message
 * becomes `unknown`: it may have been sent, and people would rather wait than be texted twice.
 */
await startWorker({
  queue: 'send-message',
  payload: sendMessageJob,
  concurrency: ({ config }) => config.sendConcurrency,
  hotFunctions: ['claim_messages', 'settle_messages', 'take_simulated_messages'],
  handle: async (context, { id }) => {
    const outcome = await sendMessage(context, id)
    if (outcome.kind === 'wait') throw new TryAgainIn(outcome.ms)
  },
  crashed: async (context, { id }) => {
    await countMessageCrash(context, id)
  },
})
