import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { environmentOf, unpackPackages } from '../../../../../dev/services/debian-packages.js'
import { freePort } from '../../../../../dev/services/free-port.js'
import { signatureHeaders } from '../../../../../src/domain/endpoints/deliveries/signature.js'
import { newId } from '../../../../../src/ids.js'
import { newSigningSecret } from '../../../../../src/secrets.js'
import { receiveSamples } from '../../../../../src/web/console/lines/start/receive-samples.js'
import type { Language, Sample } from '../../../../../src/web/console/lines/start/sample.js'
import { sendSamples } from '../../../../../src/web/console/lines/start/send-samples.js'
import { createLine, type TestLine } from '../../../../helpers/factories.js'
import { runProgram, stopProcesses } from '../../../../helpers/process/processes.js'
import { until } from '../../../../helpers/until.js'
import { describeWeb } from '../../../../helpers/web/web.js'

/** What some language would see something in. */
const TEXT = `She said: "it's 5 $HOME #{1} \`x\` \\n $(id) %s" 😀`

const PROGRAMS: Record<Language, { program: string; file: string }> = {
  curl: { program: 'sh', file: 'sample.sh' },
  node: { program: 'node', file: 'sample.mjs' },
  python: { program: 'python3', file: 'sample.py' },
  go: { program: 'go', file: 'sample.go' },
  php: { program: 'php', file: 'sample.php' },
  ruby: { program: 'ruby', file: 'sample.rb' },
}

const VERSIONS: Partial<Record<Language, string[]>> = {
  curl: ['-c', 'curl --version && openssl version'],
  go: ['version'],
}

/** curl and Node are always tried, the others where they are. */
function isThere(language: Language): boolean {
  return language === 'curl' || language === 'node' || isInstalled(language)
}

function isInstalled(language: Language): boolean {
  return spawnSync(PROGRAMS[language].program, VERSIONS[language] ?? ['--version']).status === 0
}

/** A shell in which curl and openssl are found, those of Debian's packages where none are installed. */
async function shell(): Promise<NodeJS.ProcessEnv> {
  if (isInstalled('curl')) return {}
  const cacheFolder = resolve('.data/packages')
  const unpacked = join(cacheFolder, 'curl')
  if (!existsSync(unpacked)) await unpackPackages('curl openssl', cacheFolder, unpacked)
  const { LD_LIBRARY_PATH } = await environmentOf(unpacked)
  return { LD_LIBRARY_PATH, PATH: `${join(unpacked, 'usr/bin')}:${process.env.PATH ?? ''}` }
}

/** Anyone may begin a request and go away. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, 'localhost')
  await new Promise<void>((resolve) => {
    socket.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{', resolve)
  })
  await new Promise((resolve) => socket.on('close', resolve).resume())
}

const PLACE = { url: 'http://127.0.0.1:9/', toNumber: '+15005550199', text: TEXT }
const LANGUAGES = sendSamples(PLACE)
  .map(({ language }) => language)
  .filter(isThere)

describeWeb('the samples of the set-up', ({ context, web }) => {
  const folder = mkdtempSync(join(tmpdir(), 'linehook-samples-'))
  after(stopProcesses)
  after(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const find = (samples: readonly Sample[], language: Language) =>
    samples.find((each) => each.language === language)!
  let curlEnvironment: NodeJS.ProcessEnv
  before(async function () {
    // What is downloaded the first time takes as long as the network does.
    this.timeout(300_000)
    curlEnvironment = await shell()
  })

  /** As a person would, who has put it into a file. */
  const run = async ({ language, code }: Sample, role: string, port?: number) => {
    const { program, file } = PROGRAMS[language]
    const path = join(folder, `${role}-${file}`)
    writeFileSync(path, code)
    const environment = { HOME: homedir(), ...(language === 'curl' && curlEnvironment) }
    const start = (...command: string[]) =>
      runProgram(`${role} in ${language}`, command, environment, { cwd: folder })
    if (language === 'php' && port !== undefined) return start(program, '-S', `localhost:${port}`, path)
    if (language !== 'go') return start(program, path)
    // `go run` would leave a child behind.
    const built = start(program, 'build', '-o', `${path}.bin`, path)
    expect(await built.exitCode, built.lines.join('\n')).to.equal(0)
    return start(`${path}.bin`)
  }

  const sendWith = async (language: Language, line: TestLine) => {
    const sample = find(sendSamples({ ...PLACE, url: web.url + line.webhookPath }), language)
    const sent = await run(sample, 'send')
    expect(await sent.exitCode, sent.lines.join('\n')).to.equal(0)
    expect(sent.outputLines.join('\n')).to.include('{"success":true}')
    const texts = await context.db('messages').where({ line_id: line.lineId }).pluck<string[]>('text')
    expect(texts).to.deep.equal([TEXT])
  }

  const receiveWith = async (language: Language) => {
    const [port, secret] = [await freePort(), newSigningSecret()]
    const body = JSON.stringify({ type: 'inboundText', payload: TEXT, fromNumber: '+15005550199' })
    const samples = receiveSamples({ secret, body, port })
    const receiver = await run(find(samples, language), 'receive', port)
    const said = () => `${language} receives; it said:\n${receiver.lines.join('\n')}`
    const post = async (by: string, ageSeconds = 0) => {
      const seconds = Math.floor(Date.now() / 1000) - ageSeconds
      const headers = signatureHeaders(newId(), seconds, body, [newSigningSecret(), by])
      return (await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body })).status
    }
    await until(said, async () => (await post(newSigningSecret())) === 401)
    expect(await post(secret, 600), 'ten minutes old').to.equal(401)
    expect(receiver.outputLines.join('\n')).not.to.include('+15005550199')
    await breakOff(port)
    expect(await post(secret)).to.equal(200)
    const line = `inboundText +15005550199 ${TEXT}`
    const heard = (count: number) => () =>
      receiver.outputLines.filter((each) => each.includes(line)).length === count
    await until(said, heard(1))
    const posted = await run(find(samples, 'curl'), 'post')
    expect(await posted.exitCode).to.equal(0)
    await until(said, heard(2))
    await receiver.kill('SIGKILL')
  }

  for (const language of LANGUAGES) {
    it(`in ${language} send a text as it is, and take only events that are ours`, async function () {
      // Go compiles what it runs, the first time for long.
      if (language === 'go') this.timeout(400_000)
      await sendWith(language, await createLine(context))
      if (language !== 'curl') await receiveWith(language)
    })
  }
})
