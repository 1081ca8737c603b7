import { Unavailable } from '../../errors.js'
import type { ListenTools } from '../listening.js'
import type { Unstored } from '../unstored.js'
import { createBell } from './bell.js'
import { createChannel, type Channel } from './channel.js'
import { cutCenter, emptyMemory, MemoryUnreadable, takePdu, type Emptied } from './inbox.js'
import type { ReadyModem } from './modem.js'
import { openPort } from './port.js'
import type { ModemSettings } from './settings.js'
import { readNetwork, setUpModem } from './setup.js'

/** A modem that announces new texts is still checked, because it may forget to. */
const LOOK_MS = 30_000
/** How often a modem that announces nothing is checked for texts, and one without a network for a network. */
const LOOK_OFTEN_MS = 5000

/** Linehook deletes only what it has received. */
const FULL =
  'The memory for texts is full of texts that somebody wrote on the modem, so it receives none. Delete them'

interface Holding {
  /** Gets what the modem stores nowhere. */
  unstored: Unstored
  /** When it is aborted, the port is closed after the check that is under way. */
  signal: AbortSignal
  /** Called when the port is open, with what closes it immediately. */
  onOpen: (close: () => void) => void
  /** Called at each check while the modem can send, with its network in words. */
  onReady: (modem: ReadyModem, words: string) => void
  onNoNetwork: (words: string) => void
}

/**
 * Opens a modem's port and keeps checking for texts, until the port is lost or the signal is aborted.
 *
 * @throws the reason why the port was lost, such as ModemFault
 */
export async function holdPort(
  settings: ModemSettings,
  tools: ListenTools,
  { unstored, signal, onOpen, onReady, onNoNetwork }: Holding,
): Promise<void> {
  const bell = createBell()
  const memoriesTold = new Set<string>()
  const port = await openPort(settings, tools.hosts)
  onOpen(() => {
    port.close()
  })
  const life: { lost?: Error } = {}
  const giveUp = (reason: Error) => {
    life.lost ??= reason
    port.close()
  }
  const ended = port.ended.then((reason) => {
    life.lost ??= reason
    bell.ring()
  })
  const channel = createChannel(port, {
    onStored: (memory) => {
      memoriesTold.add(memory)
      bell.ring()
    },
    onPdu: (hex, length) => {
      unstored.enqueue(() => takePdu(cutCenter(hex, length), settings, tools))
    },
  })
  try {
    const { memories, isTold } = await setUpModem(channel, settings, tools)
    let memory: Emptied = NOTHING
    while (!signal.aborted && life.lost === undefined) {
      bell.silence()
      const leave = await channel.enter()
      const network = await readNetwork(channel).finally(() => leave?.())
      const words = memory.isFull ? `${network.words}. ${FULL}` : network.words
      if (network.isRegistered) onReady({ channel, giveUp, onLate: unstored.addLate }, words)
      else onNoNetwork(network.words)
      let takenCount = 0
      const { isFull: wasFull } = memory
      for (const each of memories) {
        memory = await emptyUnlessAway(channel, each, settings, tools)
        takenCount += memory.takenCount
      }
      if (memory.isFull && !wasFull) tools.log.warn('modem.memory_full')
      for (const told of memoriesTold) {
        if (memories.has(told)) continue
        const emptied = await emptyUnlessAway(channel, told, settings, tools).catch((error: unknown) => {
          // Several modems announce reports in a memory that they cannot read. Texts do not depend on it.
          if (!(error instanceof MemoryUnreadable)) throw error
          memoriesTold.delete(told)
          tools.log.warn({ memory: told, reason: error.message }, 'modem.memory_unreadable')
          return NOTHING
        })
        takenCount += emptied.takenCount
      }
      // If the memory was full, more texts are waiting in the network.
      if (takenCount === 0 && memory.isFull === wasFull)
        await bell.wait(isTold && network.isRegistered ? LOOK_MS : LOOK_OFTEN_MS, signal)
    }
  } finally {
    port.close()
    await ended
  }
  if (life.lost !== undefined) throw life.lost
}

const NOTHING: Emptied = { takenCount: 0, isFull: false }

/** Texts stay in the modem while Postgres is unavailable. */
async function emptyUnlessAway(
  channel: Channel,
  memory: string,
  settings: ModemSettings,
  tools: ListenTools,
): Promise<Emptied> {
  try {
    return await emptyMemory(channel, memory, settings, tools)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    tools.log.warn({ reason: error.message }, 'modem.texts_wait')
    return NOTHING
  }
}
