import type { Mutant } from './mutant.js'

const RETENTION = ['test/domain/operating/retention/retention.test.ts']
const FORGETTING = ['test/domain/people/forget.test.ts']

/** These mutants are in the code that deletes data. */
export const DATA: readonly Mutant[] = [
  {
    breaks: 'a month is deleted although a delivery in it was resent a moment before',
    file: 'src/database/operating/retention/months.ts',
    find: `deliveries: ['pending', 'delivering', 'held'],`,
    replace: `deliveries: [],`,
    tests: RETENTION,
  },
  {
    breaks: 'a month is deleted although a delivery of a later month belongs to one of its events',
    file: 'src/database/operating/retention/under-way.ts',
    find: `or \${within('x.event_id')}`,
    replace: '',
    tests: RETENTION,
  },
  {
    breaks: 'a month is deleted although a text in it is still to be sent, at its time',
    file: 'src/database/operating/retention/under-way.ts',
    find: `['scheduled', 'queued', 'sending']`,
    replace: `['queued', 'sending']`,
    tests: RETENTION,
  },
  {
    breaks: 'erasing a person also erases their opt-out, so they get texts again',
    file: 'src/database/people/erasing.ts',
    find: 'number = :number and opted_out_at is null returning 1',
    replace: 'number = :number returning 1',
    tests: FORGETTING,
  },
  {
    breaks: "endpoints' responses to the events of an erased person stay",
    file: 'src/database/people/erasing.ts',
    find: 'where delivery_id = any (:ids::uuid[]) and num_nonnulls(response_excerpt, response_headers, request_headers) > 0',
    replace: 'where false',
    tests: FORGETTING,
  },
  {
    breaks: 'a delivery of an earlier month that is sent again is not found by its lane',
    file: 'src/database/sql/tables/lower_live_bound.sql',
    find: 'and b.next_id > row_id',
    replace: 'and false',
    tests: ['test/database/live-bounds.test.ts'],
  },
  {
    breaks: 'a copy that crashes its worker each time is tried for ever',
    file: 'workers/processes/fetch-media.ts',
    find: 'await recordMediaCrash(db, job)',
    replace: '',
    tests: ['test/workers/poison.test.ts'],
  },
]
