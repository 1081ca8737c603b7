import { expect } from 'chai'
import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../../src/config.js'
import { runNode, stopProcesses } from '../../helpers/process/processes.js'
import { createDataFolder } from '../../helpers/services/services.js'

const FAULT = `(() => { try { embedded.embeddedSettings() } catch (error) { return error.message } })()`
const embedded = new URL('../../../dist/dev/services/embedded.js', import.meta.url).href

describe('embedded settings', () => {
  let folder: string

  beforeEach(() => {
    folder = createDataFolder('embedded')
  })
  after(stopProcesses)

  /** What an expression about dev/services/embedded.ts gives in this folder, in a process of its own. */
  async function evaluate(expression: string): Promise<unknown> {
    const program = `import * as embedded from ${JSON.stringify(embedded)}; console.log(JSON.stringify(${expression} ?? null))`
    const process = runNode('embedded', ['--input-type=module', '-e', program], {}, folder)
    expect(await process.exitCode, process.errorLines.join('\n')).to.equal(0)
    return JSON.parse(process.outputLines.join('\n'))
  }

  const environment = async (name = 'embeddedEnvironment') =>
    (await evaluate(`embedded.${name}()`)) as Record<string, string>
  const keep = (running: Record<string, string>) =>
    evaluate(`embedded.keepRunning(${JSON.stringify(running)})`)

  it('secrets are made once in a folder, and are others in another folder', async () => {
    const first = await environment()
    expect(await environment()).to.deep.equal(first)
    await rm(join(folder, '.data'), { recursive: true })
    const second = await environment()
    expect(second.ENCRYPTION_KEY).not.to.equal(first.ENCRYPTION_KEY)
    expect(second.QUEUES_PASSWORD).not.to.equal(first.QUEUES_PASSWORD)
  })

  it('of commands that make them at the same moment all have the same', async () => {
    // Each looks for the file, waits for the others, and goes on.
    const at = Date.now() + 1500
    const expression = `(() => { while (Date.now() < ${at}); return embedded.embeddedSettings() })()`
    const all = await Promise.all(Array.from({ length: 4 }, () => evaluate(expression)))
    const kept = await evaluate('embedded.embeddedSettings()')
    for (const each of all) expect(each).to.deep.equal(kept)
  })

  it('a link to a file of secrets that is not there is named, as on a volume that is not mounted', async () => {
    await mkdir(join(folder, '.data'), { recursive: true })
    await symlink('/nowhere/settings.json', join(folder, '.data/settings.json'))
    const said = await evaluate(FAULT)
    expect(said).to.match(/\/\.data\/settings\.json leads to a file that is not there\./)
  })

  it('a new key before the old one in the file of secrets encrypts, and the old one still decrypts', async () => {
    await keep({ databaseUrl: 'postgres://a', redisUrl: 'redis://b', publicUrl: 'http://c' })
    const [kept, fresh] = [(await environment()).ENCRYPTION_KEY ?? '', Buffer.alloc(32, 7).toString('base64')]
    const path = join(folder, '.data/settings.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace(kept, `${fresh},${kept}`))
    await evaluate('embedded.keepReceiverPort(4711)')
    const { encryptionKeys } = readConfig(await environment('runningEnvironment'))
    expect(encryptionKeys.map((key) => key.toString('base64'))).to.deep.equal([fresh, kept])
  })

  it('a damaged file of secrets is named, and stays as it is', async () => {
    await environment()
    await writeFile(join(folder, '.data/settings.json'), '{"encryptionKey":')
    const said = await evaluate(FAULT)
    expect(said).to.match(/\/\.data\/settings\.json is damaged\. .+ restore it from a backup$/)
    expect(await readFile(join(folder, '.data/settings.json'), 'utf8')).to.equal('{"encryptionKey":')
  })

  it('with what runs they are a whole configuration, for loopback only', async () => {
    await keep({
      databaseUrl: 'postgres://127.0.0.1:5/linehook',
      redisUrl: 'redis://127.0.0.1:6',
      publicUrl: 'http://localhost:3400',
    })
    const config = readConfig(await environment('runningEnvironment'))
    expect(config).to.deep.include({
      publicUrl: 'http://localhost:3400',
      databaseUrl: 'postgres://127.0.0.1:5/linehook',
      redisUrl: 'redis://127.0.0.1:6',
      host: '127.0.0.1',
      simulator: true,
      allowHttp: true,
    })
    expect(config.queuesPassword).to.have.length.of.at.least(12)
  })

  it('the folder that is made for them cannot be listed by others', async () => {
    await environment()
    const { mode } = await stat(join(folder, '.data'))
    expect(mode & 0o044).to.equal(0)
  })

  it("the receiver's port is kept beside the secrets", async () => {
    const { ENCRYPTION_KEY } = await environment()
    await evaluate('embedded.keepReceiverPort(4711)')
    expect(await evaluate('embedded.embeddedSettings()')).to.include({
      encryptionKey: ENCRYPTION_KEY,
      receiverPort: 4711,
    })
  })

  it('files with secrets are for their owner only, and no half-written one is left', async () => {
    await keep({ databaseUrl: 'postgres://a', redisUrl: 'redis://b', publicUrl: 'http://c' })
    await environment()
    const files = await readdir(join(folder, '.data'))
    expect(files.sort()).to.deep.equal(['services.json', 'settings.json'])
    for (const file of files) {
      const path = join(folder, '.data', file)
      expect((await stat(path)).mode & 0o777, file).to.equal(0o600)
      expect(JSON.parse(await readFile(path, 'utf8'))).to.be.an('object')
    }
  })
})
