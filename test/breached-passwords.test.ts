import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isBreached } from '../src/breached-passwords.js'
import { changePassword, findSession } from '../src/domain/people/sessions.js'
import { PASSWORD_BREACHED } from '../src/domain/people/passwords.js'
import { Unavailable } from '../src/errors.js'
import { createPerson, PASSWORD } from './domain/people/people.js'
import { refusal } from './domain/refusal.js'
import { describeContext } from './helpers/context.js'
import { startSession } from './helpers/web/sessions.js'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

describeContext('breached passwords', (context) => {
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linehook-breached-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const listOf = async (passwords: readonly string[], end = '\n', last = end, hasCounts = true) => {
    const path = join(folder, `${passwords.length}-${end.length}-${last.length}`)
    const lines = passwords.map((each, n) => sha1(each) + (hasCounts ? `:${n * 7919}` : '')).sort()
    await writeFile(path, lines.join(end) + last)
    return path
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `breached ${n}`)

  for (const [count, end, last, hasCounts] of [
    [1, '\n', '\n'],
    [2, '\n', ''],
    [90, '\r\n', '\r\n'],
    // Half of it is just below a block, and the last line of that half goes past the block's end.
    [199, '\n', '\n', false],
    [5000, '\r\n', ''],
    [20_000, '\n', '\n'],
  ] as const) {
    it(`are found in a list of ${count}, whichever they are`, async () => {
      const all = numbered(count)
      const path = await listOf(all, end, last, hasCounts)
      const byHash = [...all].sort((a, b) => (sha1(a) < sha1(b) ? -1 : 1))
      const some = byHash.filter((_, n) => count < 1000 || n < 30 || n > count - 30 || n % 487 === 0)
      for (const each of some) expect(await isBreached(path, ['another one', each]), each).to.equal(true)
      for (let n = 0; n < 30; n += 1) {
        expect(await isBreached(path, [`not breached ${n}`]), String(n)).to.equal(false)
      }
    })
  }

  it('are none in an empty list', async () => {
    const path = join(folder, 'empty')
    await writeFile(path, '')
    expect(await isBreached(path, ['anything'])).to.equal(false)
  })

  it('cannot be set, and none can while the list is not to be read', async () => {
    const next = 'umbrella teapot gravel nine'
    // A service that does not normalize passwords has leaked this one as it was typed.
    const inFullWidth = 'ｕmbrella teapot gravel eleven'
    const path = await listOf([next, 'and an other one', inFullWidth])
    const ada = await createPerson(context)
    const change = async (to: string, breachedPasswords: string) => {
      const session = await findSession(context, await startSession(context, ada.id))
      const checking = { ...context, config: { ...context.config, breachedPasswords } }
      return changePassword(checking, session!, PASSWORD, to, '192.0.2.1')
    }
    for (const each of [next, inFullWidth])
      expect(await refusal(change(each, path))).to.deep.equal({ status: 400, message: PASSWORD_BREACHED })
    const failed = await change('umbrella teapot gravel ten', join(folder, 'none')).catch(
      (error: unknown) => error,
    )
    expect(failed).to.be.instanceOf(Unavailable)
    await change('umbrella teapot gravel ten', path)
  })
})
