import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { getUser } from '../../src/domain/people/users.js'
import { ANNA, queueMessage } from '../domain/fixtures.js'
import { lineForAllTests } from '../helpers/factories.js'
import { createDataFolder } from '../helpers/services/services.js'
import { readZip, rowsOf } from '../helpers/zip.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook export', ({ context, run, json, refuse }) => {
  const line = lineForAllTests(context)
  let folder: string

  before(async () => {
    await queueMessage(context, line, { text: 'exported' })
    folder = createDataFolder('export')
  })

  it('line, user and person write zips that only their owner can read', async () => {
    const { email } = await getUser(context, line.userId)
    for (const [thing, reference, name] of [
      ['line', line.number, 'messages.jsonl'],
      ['user', email, `lines/${line.number}/messages.jsonl`],
      ['person', ANNA, 'messages.jsonl'],
    ] as const) {
      const file = join(folder, `${thing}.zip`)
      const why = thing === 'person' ? ['--reason', 'ticket 4711'] : []
      const said = await json('export', thing, reference, '--to', file, ...why)
      expect(said).to.deep.equal({ file, byteCount: (await stat(file)).size })
      expect((await stat(file)).mode & 0o777).to.equal(0o600)
      const texts = rowsOf(await readZip(await readFile(file)), name).map(({ text }) => text)
      expect(texts).to.deep.equal(['exported'])
    }
  })

  it('overwrites nothing, and names what is wrong', async () => {
    const to = (name: string) => ['--to', join(folder, name)]
    const [said] = await run('export', 'line', line.lineId, ...to('once.zip'))
    expect(said).to.match(/once\.zip: \d+ bytes$/)
    for (const [args, sentence] of [
      [['line', line.lineId, ...to('once.zip')], /already exists$/],
      [['line', line.lineId, ...to('no/x.zip')], /^--to: .* cannot be written: ENOENT$/],
      [['person', ANNA, ...to('p.zip'), '--reason', 'x'], /^reason must say in 5 to 300 characters/],
      [['person', '555', ...to('p.zip'), '--reason', 'ticket'], /^number must/],
    ] as const) {
      expect(await refuse('export', ...args)).to.match(sentence)
    }
    expect(await readdir(folder)).to.have.members(['line.zip', 'user.zip', 'person.zip', 'once.zip'])
  })

  it('of a person that has nowhere to go is not in the audit log', async () => {
    const countExports = async () =>
      (await context.db('audit_log').where({ action: 'person.exported' })).length
    const before = await countExports()
    expect(before).to.be.above(0)
    const file = join(folder, 'once.zip')
    await refuse('export', 'person', ANNA, '--reason', 'ticket 4711', '--to', file)
    expect(await countExports()).to.equal(before)
  })
})
