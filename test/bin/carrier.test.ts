import { expect } from 'chai'
import { startSmsc } from '../../dev/smsc/server.js'
import { listAllLines } from '../../src/database/lines/lines.js'
import { notePhone } from '../../src/domain/carriers/accounts/phones.js'
import { addCarrierAccount, getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { openSettings } from '../../src/domain/carriers/carrier-settings.js'
import { holdAccounts } from '../../src/domain/carriers/held-accounts/holder.js'
import { addUser } from '../../src/domain/people/users.js'
import { addSmppAccount } from '../domain/carriers/smpp/fixtures.js'
import { API_KEY, startParrot } from '../helpers/services/parrot.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { command, describeCommands } from './linehook.js'

const NUMBERS = [
  { id: 'PN1', number: '+15557772001', name: 'Front desk' },
  { id: 'PN2', number: '+15557772002', name: 'Back door' },
]

describeCommands('linehook carrier and linehook line import', ({ environment, context }) => {
  const bird = openForSuite(startParrot)

  before(async () => {
    bird.numbers.push(...NUMBERS)
    await addUser(context, { email: 'ada@example.com' })
  })

  /** What it wrote, and how it ended; secrets are never in it. */
  async function run(args: string, input = '') {
    const { exitCode, outputLines, errorLines } = await command(environment, args.split(' '), input)
    const ended = { exitCode, said: outputLines, refused: errorLines }
    for (const secret of [API_KEY, 'a-wrong-key']) expect(JSON.stringify(ended)).not.to.include(secret)
    return ended
  }
  const said = async (args: string, input?: string) => {
    const ended = await run(args, input)
    expect([ended.exitCode, ended.refused]).to.deep.equal([0, []])
    return ended.said
  }
  const settings = async () => openSettings(context, (await getCarrierAccount(context, 'main')).id)

  it('add an account with secrets from standard input, test it, change it and test it again', async () => {
    const set = `--set url=${bird.url} --set apiKey=- --set region=cage`
    expect(
      await said(
        `carrier add main --kind parrot ${set} --per-second 0.5 --no-handles-opt-out`,
        'a-wrong-key\n',
      ),
    ).to.deep.equal(['carrier account main added. Test it with `linehook carrier test main`'])
    expect(await settings()).to.include({ url: bird.url, apiKey: 'a-wrong-key', region: 'cage' })
    const pace = { messagesPerSecond: 0.5, messagesPerSecondPerLine: 1 }
    expect(await getCarrierAccount(context, 'main')).to.deep.include({ ...pace, handlesOptOut: false })

    expect(await run('carrier test main')).to.deep.equal({
      exitCode: 1,
      said: [],
      refused: ['main does not work: the parrot answered 401: look at apiKey'],
    })
    const changed = await said(
      'carrier change main --set apiKey=- --unset region --per-second none --handles-opt-out --json',
      `${API_KEY}\n`,
    )
    expect(JSON.parse(changed.join('\n'))).to.deep.include({
      name: 'main',
      version: 2,
      messagesPerSecond: null,
      messagesPerSecondPerLine: 1,
      handlesOptOut: true,
    })
    expect(await settings()).to.include({ apiKey: API_KEY, region: 'jungle' })
    expect(await said('carrier test main')).to.deep.equal(['main works'])
  })

  it('import the account’s numbers as lines, set them up, and list what there is', async () => {
    expect(await said('line import --carrier main')).to.deep.equal([
      '+15557772001     not a line yet  Front desk',
      '+15557772002     not a line yet  Back door',
    ])
    const importing = 'line import --carrier main --user ada@example.com'
    const first = await run(`${importing} +15557772001 +15557779999`)
    expect(first).to.deep.include({ exitCode: 1, refused: [] })
    expect(first.said[0]).to.match(/^line \+15557772001 added \(/)
    expect(first.said[1]).to.equal('+15557779999 refused: main has no such number')
    const all = JSON.parse(
      (await said(`${importing} --all --countries ca,us --per-minute 90 --json`)).join('\n'),
    ) as object[]
    expect(all).to.have.length(1)
    expect(all[0]).to.include({ number: '+15557772002', outcome: 'added' })
    expect(
      (await listAllLines(context.db)).map(({ name, carrierAccount: carrier, ...limits }) => [
        ...[name, carrier],
        ...[limits.allowedCountries, limits.messagesPerMinute],
      ]),
    ).to.deep.equal([
      ['Front desk', 'main', null, 30],
      ['Back door', 'main', ['CA', 'US'], 90],
    ])
    expect((await run(`${importing} --all --countries UK`)).refused.join()).to.match(/Did you mean GB\?$/)

    expect(await said('carrier setup main +15557772002')).to.deep.equal(['+15557772002 set up'])
    expect(bird.setUp).to.deep.equal(['PN2'])
    const [account, simulator] = await said('carrier list')
    expect(account).to.match(
      /^main +parrot +2 lines +no limit in total, 1\/s per line {2}passed 20\d\d-\d\d-\d\dT[\d:.]+Z$/,
    )
    expect(simulator).to.match(/^simulator +simulator +0 lines +no limit .* not tested yet$/)
  })

  it('setup lists the URLs to enter by hand if the carrier has no API for it', async () => {
    const adding = 'carrier add sinch-main --kind sinch --set servicePlanId=plan --set apiToken=-'
    const urls = (await said(adding, 'token\n')).slice(1)
    expect(urls.join()).to.match(/^Callback URL.*: http.*\/carriers\/sinch\/.*\?key=/)
    const { exitCode, refused } = await run('carrier setup sinch-main')
    expect(exitCode).to.equal(1)
    expect(refused.join('\n').split('\n')).to.deep.equal([
      "sinch-main cannot set up its callbacks by API. Enter its callback URLs in the carrier's dashboard:",
      ...urls,
    ])
    await said('carrier remove sinch-main')
  })

  it('list says of an account with sessions whether it is bound, since when, and the last error', async () => {
    const smsc = await startSmsc({ password: 'right' })
    await addSmppAccount(context, 'smsc', { port: smsc.port, password: 'wrong' })
    const listed = async () => (await said('carrier list')).find((line) => line.startsWith('smsc '))
    expect(await listed()).to.match(
      / not tested yet {2}not bound, because no receive-smpp process is running$/,
    )
    const holder = holdAccounts(context, { followMs: 50 })
    const time = String.raw`20\d\d-\d\d-\d\dT[\d:.]+Z`
    const error = String.raw`\(last error ${time}: connected, but the bind was refused: the password is wrong \(ESME_RINVPASWD\)\)`
    await until('it is refused', async () =>
      new RegExp(`not bound since ${time} ${error}$`).test((await listed()) ?? ''),
    )
    await said('carrier change smsc --set password=-', 'right\n')
    await until('it is bound', async () =>
      new RegExp(`  bound since ${time} ${error}$`).test((await listed()) ?? ''),
    )
    expect(await said('carrier test smsc')).to.deep.equal(['smsc works'])
    await said('carrier change smsc --per-second 5')
    expect(await listed()).to.match(new RegExp(`passed ${time}, before the last change`))
    const json = JSON.parse((await said('carrier list --json')).join('\n')) as {
      name: string
      sessions: object
    }[]
    expect(json.find(({ name }) => name === 'smsc')?.sessions).to.include.keys(
      'isHeld',
      'boundCount',
      'changedAt',
    )
    await holder.close()
    await smsc.close()
  })

  it('list says of an account of a phone how the phone is', async () => {
    const settings = { username: 'sms', password: 'p', signingKey: 'k' }
    const account = await addCarrierAccount(context, { name: 'phone', kind: 'smsgate', settings })
    const listed = async () => (await said('carrier list')).find((line) => line.startsWith('phone '))
    expect(await listed()).to.match(/ not tested yet$/)
    const phone = { id: 'one', contactAt: new Date('2026-01-01T12:00:00Z'), awayAfterMs: 600_000 }
    await notePhone(context, account, { ...phone, batteryPercent: 84, isCharging: true })
    expect(await listed()).to.match(
      / {2}phone offline 84%, charging, last contact 2026-01-01T12:00:00\.000Z$/,
    )
  })

  for (const [args, refused] of [
    [
      'add other --kind parrot --set apiKey=-',
      /^Standard input is empty. It must contain the value of apiKey$/,
    ],
    ['remove main', /^main still has lines, so it cannot be removed. Pause its sending instead/],
  ] as const) {
    it(`refuse \`carrier ${args}\` in one line`, async () => {
      const ended = await run(`carrier ${args}`)
      expect(ended).to.deep.include({ exitCode: 1, said: [] })
      expect(ended.refused).to.have.length(1)
      expect(ended.refused[0]).to.match(refused)
    })
  }

  it('remove an account without lines', async () => {
    await context.db('lines').delete()
    expect(await said('carrier remove main')).to.deep.equal(['carrier account main removed'])
  })

  it('add a provider by its name alone, say what is missing, and which URL to enter there', async () => {
    const { exitCode, refused } = await run('carrier add telnyx')
    expect([exitCode, refused.join(' ')]).to.deep.equal([1, refused.join(' ')])
    expect(refused.join(' '))
      .to.match(/apiKey/)
      .and.match(/publicKey/)
    const key = Buffer.alloc(32, 1).toString('base64')
    const lines = await said(`carrier add telnyx --set apiKey=- --set publicKey=${key}`, `${API_KEY}\n`)
    expect(lines.at(-1)).to.match(
      /^Webhook URL of the messaging profile: http.*\/carriers\/telnyx\/[\w-]+\/events$/,
    )
  })
})
