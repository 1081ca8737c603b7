import { after } from 'mocha'

interface Closing {
  close(): Promise<unknown>
}

/**
 * For a test file that opens several things at once: each is closed after its tests, the last opened first, also when
 * another one could not be opened; what was never opened is left alone. Called inside `describe`.
 *
 * @returns `open`, which gives back what it was given
 */
export function openings(): <T extends Closing | Promise<Closing>>(opening: T) => T {
  const begun: Promise<Closing>[] = []

  after(async () => {
    const ends = await Promise.allSettled(begun)
    for (const end of ends.reverse()) {
      if (end.status === 'fulfilled') await end.value.close()
    }
  })

  return (opening) => {
    begun.push(Promise.resolve(opening))
    return opening
  }
}
