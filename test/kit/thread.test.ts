import { expect } from 'chai'
import { createThread, Overran } from '../../src/kit/process/thread.js'

const MAIN = `
import { parentPort, workerData } from 'node:worker_threads'
let count = 0
parentPort.on('message', (question) => {
  if (question === 'loop') for (;;);
  if (question === 'grow') { const all = []; for (;;) all.push(Array(1e5).fill({})) }
  if (question === 'throw') throw new Error('thrown there')
  if (question === 'exit') process.exit(0)
  parentPort.postMessage([question, ++count, workerData, Object.keys(process.env).length, process.execArgv.length])
})
parentPort.postMessage('ready')`

const open = (source = MAIN, deadlineMs = 30_000) =>
  createThread<unknown>(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    deadlineMs,
    maxMemoryMb: 32,
    data: 'given',
  })
const faultOf = (asked: Promise<unknown>) =>
  asked.then(
    (answer) => answer,
    (error: unknown) => error,
  )

describe('a thread', () => {
  it('answers one question after the other, and has nothing of the process but what it is given', async () => {
    const ask = open()
    expect(await ask('a')).to.deep.equal(['a', 1, 'given', 0, 0])
    expect(await ask('b')).to.deep.equal(['b', 2, 'given', 0, 0])
  })

  it('is ended at its deadline wherever it is, and the next question gets a new one', async () => {
    const ask = open(MAIN, 2000)
    expect(await faultOf(ask('loop')))
      .to.be.instanceOf(Overran)
      .with.property('what', 'time')
    expect(await ask('a')).to.deep.equal(['a', 1, 'given', 0, 0])
  })

  it('may take only so much memory, and the process goes on', async () => {
    const ask = open()
    expect(await faultOf(ask('grow')))
      .to.be.instanceOf(Overran)
      .with.property('what', 'memory')
    expect(await ask('a')).to.deep.equal(['a', 1, 'given', 0, 0])
  })

  it('that fails or ends by itself is replaced', async () => {
    const ask = open()
    for (const [question, words] of [
      ['throw', 'thrown there'],
      ['exit', 'the thread ended unexpectedly'],
    ] as const) {
      expect(await faultOf(ask(question))).to.have.property('message', words)
      expect(await ask('a')).to.deep.equal(['a', 1, 'given', 0, 0])
    }
  })

  it('that cannot start says why, each time', async () => {
    const ask = open('import "nothing-of-this-name"')
    for (const question of ['a', 'b'])
      expect(await faultOf(ask(question)))
        .to.have.property('message')
        .that.matches(/nothing-of-this-name/)
  })
})
