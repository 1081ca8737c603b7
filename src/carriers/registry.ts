import type { Carrier } from './carrier.js'
import { createSimulator, type SimulatorOutbox } from './simulator.js'

export interface Carriers {
  /** undefined: no carrier of this name is set up here. */
  find(name: string): Carrier | undefined
}

/** Every carrier there is; a new one is a module beside `simulator.ts` and a line here. */
export function createCarriers({
  simulatorOutbox,
}: {
  simulatorOutbox: SimulatorOutbox | undefined
}): Carriers {
  const carriers = new Map<string, Carrier>()
  if (simulatorOutbox) carriers.set('simulator', createSimulator(simulatorOutbox))
  return { find: (name) => carriers.get(name) }
}
