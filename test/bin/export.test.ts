import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { getUser } from '../../src/domain/people/users.js'
import { ANNA, queueMessage } from '../domain/fixtures.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { readZip, rowsOf } from '../helpers/zip.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

describe('linehook export', function () {
  this.timeout(60_000)

  let environment: Environment
  let context: Context
  let line: TestLine
  let folder: string

  before(async () => {
    ;({ environment, context } = await createInstallation())
    line = await createLine(context)
    await queueMessage(context, line, { text: 'exported' })
    folder = await mkdtemp(join(tmpdir(), 'linehook-export-'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
    await context.close()
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
      const said = (await jsonAnswer(environment, 'export', thing, reference, '--to', file, ...why)) as object
      expect(said).to.deep.equal({ file, byteCount: (await stat(file)).size })
      expect((await stat(file)).mode & 0o777).to.equal(0o600)
      expect(rowsOf(await readZip(await readFile(file)), name).map(({ text }) => text)).to.deep.equal([
        'exported',
      ])
    }
  })

  it('overwrites nothing, and names what is wrong', async () => {
    const file = join(folder, 'once.zip')
    expect((await answer(environment, 'export', 'line', line.lineId, '--to', file))[0]).to.match(
      /once\.zip: \d+ bytes$/,
    )
    expect(await refusal(environment, 'export', 'line', line.lineId, '--to', file)).to.match(
      /is there already$/,
    )
    expect(
      await refusal(environment, 'export', 'line', line.lineId, '--to', join(folder, 'no', 'x.zip')),
    ).to.match(/^--to: .* cannot be written: ENOENT$/)
    expect(
      await refusal(environment, 'export', 'person', ANNA, '--to', join(folder, 'p.zip'), '--reason', 'x'),
    ).to.match(/^reason must say in 5 to 300 characters/)
    expect(
      await refusal(
        environment,
        'export',
        'person',
        '555',
        '--to',
        join(folder, 'p.zip'),
        '--reason',
        'ticket',
      ),
    ).to.match(/^number must/)
  })
})
