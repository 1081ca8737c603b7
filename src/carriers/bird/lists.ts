import * as kit from '../kit.js'
import { textAt } from '../kit.js'

type Asking = kit.Asking<object>

/** The bound of 10,000 entries stops a list that would otherwise never end. */
const MAX_PAGES = 100

/** Reads a whole list, page by page: https://bird.com/docs/sdks/typescript */
export async function listAll({ ask }: Asking, path: string, filter = {}): Promise<unknown[]> {
  const found: unknown[] = []
  for (let page = 0, cursor = ''; page === 0 || (cursor !== '' && page < MAX_PAGES); page += 1) {
    const after = cursor === '' ? {} : { starting_after: cursor }
    const { body } = await ask({ path, query: { ...filter, limit: '100', ...after } })
    found.push(...kit.listAt(body, 'data'))
    cursor = textAt(body, 'next_cursor')
  }
  return found
}

export async function listBirdNumbers(asking: Asking): Promise<kit.CarrierNumber[]> {
  return (await listAll(asking, '/v1/numbers')).flatMap((each) => {
    const [id, number] = [textAt(each, 'id'), textAt(each, 'number')]
    // A line that is a short code needs its country, which the list does not give.
    return textAt(each, 'status') === 'active' && /^\+\d{8}/.test(number)
      ? [{ id, number, name: number }]
      : []
  })
}
