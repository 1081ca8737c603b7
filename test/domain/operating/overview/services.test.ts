import { expect } from 'chai'
import { judgePostgres } from '../../../../src/domain/operating/overview/postgres.js'
import { judgeRedis } from '../../../../src/domain/operating/overview/redis.js'
import { judgeStorage } from '../../../../src/domain/operating/overview/storage.js'

const GOOD_REDIS = {
  ...{ version: '7.2.0', policy: 'noeviction', hasAof: true, isAofWritten: true },
  ...{ usedBytes: 1e6, maxBytes: 0, machineBytes: 8e9 },
}

const GOOD_POSTGRES = {
  ...{
    version: '18.4',
    isReadOnly: false,
    connectionCount: 20,
    maxConnections: 100,
    longTransactionCount: 0,
  },
  ...{ databaseBytes: 1e9, dataFolder: null },
}

const POOL = { usedCount: 1, maxCount: 10, waitingCount: 0 }
const ROOM = { of: 'media', folder: '/a', freeBytes: 50e9, totalBytes: 100e9, freeShare: 0.5 }
const GOOD_STORAGE = { place: 'a folder', disks: [ROOM], fault: undefined, writes: true }
const disk = (freeBytes: number) => ({
  ...GOOD_STORAGE,
  disks: [{ ...ROOM, freeBytes, freeShare: freeBytes / ROOM.totalBytes }],
})

describe('what everything rests on', () => {
  it('is well where nothing is wrong', () => {
    const views = [judgeRedis(GOOD_REDIS), judgePostgres(GOOD_POSTGRES, [], POOL), judgeStorage(GOOD_STORAGE)]
    expect(views.map(({ mood, faults }) => [mood, faults])).to.deep.equal(Array(3).fill(['good', []]))
  })

  for (const [title, view, mood, text] of [
    ['Redis evicts', judgeRedis({ ...GOOD_REDIS, policy: 'allkeys-lru' }), 'bad', /set it to noeviction/],
    ['Redis keeps no file', judgeRedis({ ...GOOD_REDIS, hasAof: false }), 'bad', /set appendonly to yes/],
    ['Redis cannot write', judgeRedis({ ...GOOD_REDIS, isAofWritten: false }), 'bad', /look at its disk/],
    [
      'Redis is filling',
      judgeRedis({ ...GOOD_REDIS, usedBytes: 81, maxBytes: 100 }),
      'waiting',
      /81 B of 100 B.*maxmemory/,
    ],
    [
      'Redis is full',
      judgeRedis({ ...GOOD_REDIS, usedBytes: 95, maxBytes: 100 }),
      'bad',
      /takes no more jobs/,
    ],
    ['the machine of Redis is full', judgeRedis({ ...GOOD_REDIS, usedBytes: 7.9e9 }), 'bad', /more memory/],
    [
      'Postgres is read-only',
      judgePostgres({ ...GOOD_POSTGRES, isReadOnly: true }, [], POOL),
      'bad',
      /DATABASE_URL/,
    ],
    [
      'its connections run out',
      judgePostgres({ ...GOOD_POSTGRES, connectionCount: 80 }, [], POOL),
      'waiting',
      /80 of its 100/,
    ],
    [
      'transactions stay open',
      judgePostgres({ ...GOOD_POSTGRES, longTransactionCount: 2 }, [], POOL),
      'waiting',
      /2 transactions/,
    ],
    [
      'a later partition is missing',
      judgePostgres(GOOD_POSTGRES, ['events_999912'], POOL),
      'waiting',
      /events_999912/,
    ],
    ['a disk is filling', judgeStorage(disk(9e9)), 'waiting', /disk of media has only 9.* GB left/],
    ['a disk is full', judgeStorage(disk(0)), 'bad', /only 0 B left/],
    ['nothing can be stored', judgeStorage({ ...GOOD_STORAGE, fault: 'no room.' }), 'bad', /stored: no room/],
  ] as const) {
    it(`says when ${title}, and what to do`, () => {
      expect(view.mood).to.equal(mood)
      expect(view.faults.map((fault) => fault.text).join()).to.match(text)
    })
  }

  it('is not known of a Redis that keeps its figures to itself', () => {
    const nothing = { version: null, policy: null, hasAof: null, isAofWritten: null }
    const view = judgeRedis({ ...nothing, usedBytes: null, maxBytes: null, machineBytes: null })
    expect(view.mood).to.equal('good')
    expect(view.facts).to.deep.include(['Append-only file', 'not told'])
  })
})
