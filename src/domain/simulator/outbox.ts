import type { SimulatorOutbox } from '../../carriers/simulator-outbox.js'
import type { Database } from '../../database/connection.js'
import { insertSimulatedMessages, type SimulatedMessage } from '../../database/simulator/simulator-outbox.js'
import { batch } from '../../kit/process/batch.js'

/** The outbox of the simulator's carrier: messages that it takes in one turn of the event loop become one statement. */
export function createSimulatorOutbox(db: Database): SimulatorOutbox {
  return {
    take: batch(async (messages: readonly SimulatedMessage[]) => {
      await insertSimulatedMessages(db, messages)
      return [...messages]
    }),
  }
}
