import type { Mutant } from './mutant.js'

const RETENTION = ['test/domain/operating/retention/retention.test.ts']
const FORGETTING = ['test/domain/people/forget.test.ts']

/** These mutants are where data are deleted. */
export const DATA: readonly Mutant[] = [
  {
    breaks: 'a month goes although a delivery in it was sent again a moment before',
    file: 'src/database/operating/retention/months.ts',
    find: `deliveries: ['pending', 'delivering', 'held'],`,
    replace: `deliveries: [],`,
    tests: RETENTION,
  },
  {
    breaks: 'a month goes although a delivery of a later month is of one of its events',
    file: 'src/database/operating/retention/under-way.ts',
    find: `or \${within('x.event_id')}`,
    replace: '',
    tests: RETENTION,
  },
  {
    breaks: 'whoever is forgotten can be written to again although they opted out',
    file: 'src/database/people/erasing.ts',
    find: 'number = :number and opted_out_at is null returning 1',
    replace: 'number = :number returning 1',
    tests: FORGETTING,
  },
  {
    breaks: 'what endpoints answered to the events of a forgotten person stays',
    file: 'src/database/people/erasing.ts',
    find: 'where delivery_id = any (:ids::uuid[]) and num_nonnulls(response_excerpt, response_headers, request_headers) > 0',
    replace: 'where false',
    tests: FORGETTING,
  },
]
