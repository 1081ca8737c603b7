import type { Mutant } from './mutant.js'

const LATE = ['test/domain/endpoints/deliveries/deliver.test.ts']
const HEALTH = ['test/domain/endpoints/deliveries/endpoint-health.test.ts']
const FAILURES = ['test/domain/endpoints/deliveries/deliver-failures.test.ts']
const LANE = ['test/domain/endpoints/deliveries/lane.test.ts']
const REPLAY = ['test/domain/endpoints/deliveries/replay.test.ts']
const RETRY = [
  'test/domain/endpoints/deliveries/retry-schedule.test.ts',
  'test/domain/endpoints/deliveries/deliver-failures.test.ts',
]
const UNSENT = ['test/domain/endpoints/deliveries/before-the-request.test.ts']
const APPLICATIONS = ['test/domain/endpoints/deliveries/deliver-to-applications.test.ts']

/** These mutants are in the path of an event to its endpoint. */
export const DELIVERIES: readonly Mutant[] = [
  {
    breaks: 'time-outs do not count for the health of an endpoint',
    file: 'src/database/sql/endpoints/settle_deliveries.sql',
    find: 'group by g.endpoint_id, g.url',
    replace: `where g.failure is distinct from 'timeout' group by g.endpoint_id, g.url`,
    tests: HEALTH,
  },
  {
    breaks: 'an endpoint that times out still gets as many concurrent requests as before',
    file: 'src/database/sql/endpoints/settle_deliveries.sql',
    find: `g.failure in ('timeout', `,
    replace: `g.failure in (`,
    tests: LANE,
  },
  {
    breaks: 'a late result settles a newer attempt',
    file: 'src/database/sql/endpoints/settle_deliveries.sql',
    find: '      and d.attempt_count = g.attempt_number\n',
    replace: '',
    tests: LATE,
  },
  {
    breaks: 'an endpoint gets more concurrent requests than its limit',
    file: 'src/database/sql/endpoints/claim_in_lanes.sql',
    find: `least(e.places, (e.policy ->> 'requestsAtOnce')::integer, max_in_flight) - under_way.count`,
    replace: `least(e.places, (e.policy ->> 'requestsAtOnce')::integer, max_in_flight)`,
    tests: LANE,
  },
  {
    breaks: 'new events wait behind all retries once an endpoint has recovered',
    file: 'src/database/sql/endpoints/claim_in_lanes.sql',
    find: ` and d.nth_retry > w.places / 5.0 + random()`,
    replace: ` and d.nth_retry > w.places`,
    tests: LANE,
  },
  {
    breaks: "waiting events are sent although the endpoint's webhook URL was removed",
    file: 'src/database/sql/endpoints/claim_in_lanes.sql',
    find: 'e.disabled_at is not null or e.removed_at is not null',
    replace: 'e.disabled_at is not null',
    tests: APPLICATIONS,
  },
  {
    breaks: 'enabling an endpoint sends events that still wait for a copy of their media',
    file: 'src/database/endpoints/deliveries/creating.ts',
    find: '                      and not ${WITHOUT_MEDIA}\n',
    replace: '',
    tests: ['test/domain/endpoints/deliveries/held-events.test.ts'],
  },
  {
    breaks: 'an endpoint can postpone its deliveries by weeks with Retry-After',
    file: 'src/domain/endpoints/deliveries/retry-schedule.ts',
    find: 'Math.min(retryAfterMs ?? 0, CAP_MS)',
    replace: 'retryAfterMs ?? 0',
    tests: RETRY,
  },
  {
    breaks: 'the two signatures of a rotation are not separated by a space',
    file: 'src/domain/endpoints/deliveries/signature.ts',
    find: `signatures.join(' ')`,
    replace: `signatures.join(',')`,
    tests: ['test/domain/endpoints/deliveries/signature.test.ts'],
  },
  {
    breaks: 'slots that a lane has taken but does not need are never given back',
    file: 'src/domain/endpoints/deliveries/lane.ts',
    find: 'this.#give(places - toAttempt.length)',
    replace: '',
    tests: LANE,
  },
  {
    breaks: 'a background task of a disabled user continues',
    file: 'src/domain/operating/tasks/run.ts',
    find: `  if (isOwnerDisabled) return 'The user is disabled'\n`,
    replace: '',
    tests: REPLAY,
  },
  {
    breaks: 'a background task that kills its process begins again for ever',
    file: 'src/database/operating/tasks.ts',
    find: 'lost_count = w.lost_count + (w.lease_until is not null)::integer,',
    replace: '',
    tests: REPLAY,
  },
  {
    breaks: 'a replay to another URL continues for days although every request fails',
    file: 'src/domain/endpoints/deliveries/replay-to-url.ts',
    find: 'failedInARow < MAX_FAILURES_IN_A_ROW',
    replace: 'failedInARow < Infinity',
    tests: REPLAY,
  },
  {
    breaks: 'an event that may be sent once is given up although its request never left',
    file: 'src/domain/endpoints/deliveries/deliver.ts',
    find: `failure === 'timeout' && isRequestSent === true && !`,
    replace: `failure === 'timeout' && !`,
    tests: UNSENT,
  },
  {
    breaks: 'an event that may be sent once is sent again although its request has left',
    file: 'src/domain/endpoints/deliveries/post-event.ts',
    find: 'isRequestSent: requestSent }',
    replace: 'isRequestSent: false }',
    tests: UNSENT,
  },
  {
    breaks: 'a server that closes an idle connection just when it is used costs an attempt',
    file: 'src/domain/endpoints/deliveries/post-event.ts',
    find: 'isRepeatable: true,',
    replace: '',
    tests: FAILURES,
  },
  {
    breaks: 'a request that was answered in part is sent again',
    file: 'src/safe-fetch/exchange.ts',
    find: 'receivedOnKept?.() === 0',
    replace: 'receivedOnKept !== undefined',
    tests: ['test/safe-fetch.test.ts'],
  },
]
