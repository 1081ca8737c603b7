import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  addCarrierAccount,
  getCarrierAccount,
  getCarrierAccountById,
  listAccountOverviews,
  removeCarrierAccount,
  type CarrierAccount,
  type NewCarrierAccount,
} from '../../../src/domain/carriers/carrier-accounts.js'
import {
  changeCarrierAccount,
  type CarrierAccountChange,
} from '../../../src/domain/carriers/accounts/change.js'
import { getCarrierAccountOverview } from '../../../src/domain/carriers/accounts/overview.js'
import { testCarrierAccount } from '../../../src/domain/carriers/accounts/carrier-test.js'
import { openSettings } from '../../../src/domain/carriers/carrier-settings.js'
import type { Line } from '../../../src/database/lines/lines.js'
import { changeLine } from '../../../src/domain/lines/change-line.js'
import { addLine, getAnyLine } from '../../../src/domain/lines/lines.js'
import { setRoutes } from '../../../src/domain/lines/routes.js'
import { UserError } from '../../../src/errors.js'
import { newId } from '../../../src/ids.js'
import { describeContext, joinService, createJoinedContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { memoryLog } from '../../helpers/process/log.js'
import { API_KEY, BIRDS, startParrot, type Parrot } from '../../helpers/services/parrot.js'
import { openForSuite } from '../../helpers/suite.js'
import { awayAfterCommit, overlap } from '../fixtures.js'
import { createPerson } from '../people/people.js'
import { refusal, expectRefusal } from '../refusal.js'

describeContext('carrier accounts', { carrierKinds: BIRDS }, (context) => {
  let bird: Parrot
  let count = 0

  before(async () => {
    bird = await startParrot()
  })

  after(() => {
    bird.close()
  })

  function newAccount(overrides: Partial<NewCarrierAccount> = {}): NewCarrierAccount {
    count += 1
    return {
      name: `parrot-${count}`,
      kind: 'parrot',
      settings: { url: bird.url, apiKey: API_KEY },
      ...overrides,
    }
  }
  const add = (overrides: Partial<NewCarrierAccount> = {}) =>
    addCarrierAccount(context, newAccount(overrides))
  const settingsOf = ({ id }: { id: string }) => openSettings(context, id)
  const sealedOf = async ({ id }: { id: string }) => {
    const row = await context.db('carrier_accounts').where({ id }).first<{ settings_sealed: Buffer }>()
    return row.settings_sealed
  }

  describe('are added', () => {
    it('and answered with, also if Postgres goes away right after the commit', async () => {
      const account = newAccount()
      expect(await addCarrierAccount(awayAfterCommit(context), account)).to.include({ name: account.name })
    })

    it('with what the kind says where nothing is said', async () => {
      const account = await add()
      expect(account).to.deep.include({
        kind: 'parrot',
        version: 1,
        messagesPerSecond: null,
        messagesPerSecondPerLine: 1,
        handlesOptOut: true,
        lastTestedAt: null,
      })
      expect(await settingsOf(account)).to.deep.equal({
        url: bird.url,
        apiKey: API_KEY,
        region: 'jungle',
        retries: 3,
        loud: false,
      })
    })

    it('with everything as it was written, in the types of its schema', async () => {
      const account = await add({
        settings: {
          url: ` ${bird.url} `,
          apiKey: `${API_KEY}\n`,
          region: 'cage',
          retries: '5',
          loud: 'true',
        },
        messagesPerSecond: 0.5,
        messagesPerSecondPerLine: null,
        handlesOptOut: false,
      })
      expect(account).to.deep.include({
        messagesPerSecond: 0.5,
        messagesPerSecondPerLine: null,
        handlesOptOut: false,
      })
      expect(await settingsOf(account)).to.deep.equal({
        url: bird.url,
        apiKey: API_KEY,
        region: 'cage',
        retries: 5,
        loud: true,
      })
    })

    it('with their settings encrypted', async () => {
      const sealed = await sealedOf(await add())
      for (const text of [API_KEY, bird.url]) expect(sealed.includes(text)).to.equal(false)
    })

    it('only once under a name', async () => {
      const { name } = await add()
      await expectRefusal(add({ name }), 409, `There is already a carrier account named ${name}`)
    })

    const url = 'http://127.0.0.1'
    const faults: [what: Partial<NewCarrierAccount>, message: RegExp][] = [
      [{ name: '' }, /^name must be 1 to 40 lowercase/],
      [{ name: 'Twilio' }, /^name must be/],
      [{ name: 'a'.repeat(41) }, /^name must be/],
      [{ name: '<b>' }, /^name must be/],
      [{ kind: 'simulator' }, /^kind must be one of parrot, finch$/],
      [{ kind: '__proto__' }, /^kind must be/],
      [{ settings: {} }, /^url is required: Where it sits; apiKey is required: What it listens to$/],
      [{ settings: { url, apiKey: ' ' } }, /^apiKey is required/],
      [{ settings: { url: 'ftp', apiKey: API_KEY } }, /^url must start with http:\/\/$/],
      [{ settings: { url, apiKey: 'short-1' } }, /^apiKey must be at least 8 characters$/],
      [{ settings: { url, apiKey: { secret: 'short-1' } } }, /^apiKey must be text$/],
      [{ settings: { url, apiKey: API_KEY, region: 'sea' } }, /^region must be one of .*jungle, cage$/],
      [{ settings: { url, apiKey: API_KEY, retries: 'many' } }, /^retries must be a number$/],
      [{ settings: { url, apiKey: API_KEY, loud: 'very' } }, /^loud must be true or false$/],
      [
        { settings: { url, apiKey: API_KEY, wings: 2 } },
        /^Parrot has no setting wings. Its settings are url, apiKey/,
      ],
      [{ messagesPerSecond: 0 }, /^messagesPerSecond must be a number from 0\.001 to 10000/],
      [{ messagesPerSecond: -1 }, /^messagesPerSecond must/],
      [{ messagesPerSecond: NaN }, /^messagesPerSecond must/],
      [{ messagesPerSecond: 10_001 }, /^messagesPerSecond must/],
      [{ messagesPerSecondPerLine: 1e-50 }, /^messagesPerSecondPerLine must/],
      [{ messagesPerSecondPerLine: Infinity }, /^messagesPerSecondPerLine must/],
    ]
    for (const [what, expected] of faults) {
      it(`but not with ${JSON.stringify(what)}`, async () => {
        const { status, message } = await refusal(add(what))
        expect(status).to.equal(400)
        expect(message).to.match(expected).and.not.include('short-1')
      })
    }
  })

  it('are listed by name, with their kind’s title and how many lines they have', async () => {
    const { id: userId } = await createPerson(context)
    const account = await add({ name: 'a-first-one' })
    for (const number of ['+15557770001', '+15557770002']) {
      await addLine(context, { userId, number, carrierAccount: account.name })
    }
    const listed = await listAccountOverviews(context)
    expect(listed[0]).to.deep.include({ name: 'a-first-one', title: 'Parrot', lineCount: 2 })
    expect(listed.map(({ name }) => name)).to.deep.equal(listed.map(({ name }) => name).toSorted())
    expect(listed.find(({ kind }) => kind === 'simulator')).to.deep.include({ title: 'Simulator' })
    expect(JSON.stringify(listed)).not.to.include(API_KEY)
  })

  it('are unknown where there is none', async () => {
    await expectRefusal(
      getCarrierAccount(context, 'nobody'),
      404,
      'No carrier account is named nobody. See `linehook carrier list`',
    )
    for (const id of [newId(), 'x', '']) {
      await expectRefusal(getCarrierAccountById(context, id), 404)
      await expectRefusal(getCarrierAccountOverview(context, id), 404)
    }
  })

  it('show every setting but secrets', async () => {
    const { id } = await add({ settings: { url: bird.url, apiKey: API_KEY, retries: 0 } })
    const { settings, fault, canListNumbers } = await getCarrierAccountOverview(context, id)
    expect({ fault, canListNumbers }).to.deep.equal({ fault: undefined, canListNumbers: true })
    expect(settings.map(({ key, isSet, value }) => [key, isSet, value])).to.deep.equal([
      ['url', true, bird.url],
      ['apiKey', true, undefined],
      ['recoveryCode', false, undefined],
      ['region', true, 'jungle'],
      ['retries', true, '0'],
      ['song', false, undefined],
      ['loud', true, 'false'],
    ])
    expect(settings[3]).to.deep.include({
      type: 'text',
      options: ['jungle', 'cage'],
      isRequired: false,
      standard: 'jungle',
      about: 'Where it lives.',
    })
  })

  describe('are changed', () => {
    const before = { url: '', apiKey: API_KEY, recoveryCode: 'feathers', region: 'cage', retries: 5 }
    const changes: [what: string, change: CarrierAccountChange, after: object][] = [
      ['one setting, the others as they were', { settings: { region: 'jungle' } }, { region: 'jungle' }],
      ['a secret', { settings: { apiKey: 'a-new-secret' } }, { apiKey: 'a-new-secret' }],
      [
        'no secret that is left empty',
        { settings: { apiKey: '', recoveryCode: '', retries: 1 } },
        { retries: 1 },
      ],
      ['a setting that is left empty back to its standard', { settings: { retries: '' } }, { retries: 3 }],
      ['a secret away', { unset: ['recoveryCode'] }, { recoveryCode: undefined }],
    ]
    for (const [what, change, after] of changes) {
      it(what, async () => {
        const account = await add({ settings: { ...before, url: bird.url } })
        await changeCarrierAccount(context, account, change)
        const { version, handlesOptOut } = await getCarrierAccountById(context, account.id)
        expect({ version, handlesOptOut }).to.deep.equal({ version: 2, handlesOptOut: true })
        const expected = JSON.parse(
          JSON.stringify({ ...before, url: bird.url, loud: false, ...after }),
        ) as object
        expect(await settingsOf(account)).to.deep.equal(expected)
      })
    }

    it('in pace and opt-out, without the settings being sealed anew', async () => {
      const account = await add({ messagesPerSecond: 3 })
      const sealed = await sealedOf(account)
      await changeCarrierAccount(context, account, { messagesPerSecondPerLine: null, handlesOptOut: false })
      expect(await getCarrierAccountById(context, account.id)).to.deep.include({
        version: 2,
        messagesPerSecond: 3,
        messagesPerSecondPerLine: null,
        handlesOptOut: false,
      })
      expect(await sealedOf(account)).to.deep.equal(sealed)
    })

    it('not to what the kind cannot use', async () => {
      const account = await add()
      for (const [change, expected] of [
        [{ settings: { region: 'sea' } }, /^region must/],
        [{ settings: { wings: '2' } }, /^Parrot has no setting wings/],
        [{ unset: ['apiKey'] }, /^apiKey is required/],
        [{ unset: ['wings'] }, /^Parrot has no setting wings/],
        [{ messagesPerSecond: 0 }, /^messagesPerSecond must/],
      ] as [CarrierAccountChange, RegExp][]) {
        await expectRefusal(changeCarrierAccount(context, account, change), 400, expected)
      }
      expect((await getCarrierAccountById(context, account.id)).version).to.equal(1)
    })

    it('by one of two who do it at the same time', async () => {
      const account = await add()
      await changeCarrierAccount(context, account, { settings: { region: 'cage' } })
      const words = `${account.name} was changed by someone else in the meantime. Check it and try again`
      await expectRefusal(changeCarrierAccount(context, account, { handlesOptOut: false }), 409, words)
    })
  })

  describe('are removed', () => {
    it('when no line is at them', async () => {
      const account = await add()
      const { id: userId } = await createPerson(context)
      const line = await addLine(context, { userId, number: '+15557770003', carrierAccount: account.name })
      const words = `${account.name} still has lines, so it cannot be removed. Pause its sending instead`
      await expectRefusal(removeCarrierAccount(context, account), 409, words)
      await context.db('lines').where({ id: line.id }).delete()
      await removeCarrierAccount(context, account)
      await expectRefusal(getCarrierAccount(context, account.name), 404)
      await expectRefusal(removeCarrierAccount(context, account), 404)
    })

    describe('at the same moment as a line gets one', () => {
      let account: CarrierAccount
      let line: Line

      beforeEach(async () => {
        account = await add()
        const { lineId } = await createLine(context)
        line = await getAnyLine(context, lineId)
      })

      const remove = () => removeCarrierAccount(context, account)
      const ways: [what: string, give: () => Promise<unknown>][] = [
        ['as a route', () => setRoutes(context, line, [{ carrier: account.name }])],
        ['instead of its own', () => changeLine(context, line, { carrierAccount: account.name })],
        [
          'because it is new',
          () =>
            addLine(context, { userId: line.userId, number: '+15557770004', carrierAccount: account.name }),
        ],
      ]
      for (const [what, give] of ways) {
        it(`${what}, which is refused if that comes second`, async () => {
          expect(await overlap(context, remove, give))
            .to.be.instanceOf(UserError)
            .with.property('message')
            .that.includes(`Carrier ${account.name} is not set up`)
        })

        it(`${what}, which keeps the account if that comes first`, async () => {
          expect(await overlap(context, give, remove))
            .to.be.instanceOf(UserError)
            .with.property('message')
            .that.includes(`${account.name} still has lines`)
        })
      }
    })

    it('but not the simulator, which cannot be changed either', async () => {
      const simulator = await getCarrierAccount(context, 'simulator')
      const words = 'The simulator is built in and has no settings'
      await expectRefusal(removeCarrierAccount(context, simulator), 409, words)
      await expectRefusal(changeCarrierAccount(context, simulator, { messagesPerSecond: 1 }), 409, words)
    })
  })

  describe('are tested', () => {
    const without = joinService(context, { SIMULATOR: 'false' })

    it('with a result that is kept, and says which settings it is of', async () => {
      const account = await add({ settings: { url: bird.url, apiKey: 'a-wrong-key' } })
      const fault = 'the parrot answered 401: look at apiKey'
      expect(await testCarrierAccount(context, account)).to.deep.equal({ ok: false, fault })
      const tested = await getCarrierAccountById(context, account.id)
      expect(tested.lastTestFault).to.equal(fault)
      expect(tested.lastTestedAt).to.be.a('date')

      await changeCarrierAccount(context, tested, { settings: { apiKey: API_KEY } })
      const changed = await getCarrierAccountById(context, account.id)
      const { lastTestedAt, version } = tested
      expect(changed).to.deep.include({ lastTestedAt, lastTestFault: fault, lastTestedVersion: version })
      expect(changed.version).to.equal(version + 1)
      expect(await testCarrierAccount(context, changed)).to.deep.equal({ ok: true })
      const again = await getCarrierAccountById(context, account.id)
      expect(again.lastTestFault).to.equal(null)
      expect(again.lastTestedAt).to.be.a('date')
      expect(again.lastTestedVersion).to.equal(again.version)
      // A test of the older settings ends late.
      await testCarrierAccount(context, { ...account, version: 1 })
      expect(await getCarrierAccountById(context, account.id)).to.deep.equal(again)
    })

    it('for no longer than a carrier may take', async () => {
      const account = await add()
      // Only here: on a busy machine a carrier that answers takes as long.
      const impatient = { ...context, config: { ...context.config, carrierTimeoutMs: 300 } }
      bird.isSilent = true
      try {
        expect(await testCarrierAccount(impatient, account)).to.deep.equal({
          ok: false,
          fault: 'No response within 0.3 s',
        })
      } finally {
        bird.isSilent = false
      }
    })

    it('without a detail of what is a fault of ours, which is logged', async () => {
      const { log, lines } = memoryLog()
      const account = await add({ kind: 'finch', settings: { pin: 'a ring' } })
      const result = await testCarrierAccount({ ...context, log }, account)
      expect(result).to.deep.equal({
        ok: false,
        fault: 'Unexpected error. See carrier.unexpected_error in the log',
      })
      expect(lines.map(({ msg }) => msg)).to.deep.equal([
        'carrier.unexpected_error',
        'carrier_account.tested',
      ])
      expect(JSON.stringify(lines)).not.to.include('a ring')
    })

    it('where the simulator is switched off, too', async () => {
      const result = await testCarrierAccount(without, await getCarrierAccount(without, 'simulator'))
      expect(result.ok).to.equal(false)
      expect(result).to.have.property('fault').that.includes('The simulator needs SIMULATOR=true')
    })
  })

  describe('whose settings were sealed by another key', () => {
    const WORDS = /^The settings of the carrier account cannot be decrypted. Add the key/
    const newKey = { ENCRYPTION_KEY: randomBytes(32).toString('base64') }
    const other = openForSuite(() => createJoinedContext(context, newKey, { carrierKinds: BIRDS }))

    it('say so, and keep their pace', async () => {
      const account = await add()
      const { log, lines } = memoryLog()
      const result = await testCarrierAccount({ ...other, log }, account)
      expect(result).to.have.property('fault').that.matches(WORDS)
      expect(lines.map(({ msg }) => msg)).to.include('carrier.settings_unreadable')

      const { fault, settings } = await getCarrierAccountOverview(other, account.id)
      expect(fault).to.match(WORDS)
      expect(settings.some(({ isSet }) => isSet)).to.equal(false)

      const { userId } = await createLine(context)
      const line = addLine(other, { userId, number: '+15557770009', carrierAccount: account.name })
      await expectRefusal(line, 409, WORDS)

      const sealed = await sealedOf(account)
      await changeCarrierAccount(other, account, { messagesPerSecond: 2 })
      expect(await sealedOf(account)).to.deep.equal(sealed)
    })

    it('are mended by writing them anew, whole', async () => {
      const account = await add()
      const { status, message } = await refusal(
        changeCarrierAccount(other, account, { settings: { apiKey: API_KEY } }),
      )
      expect(status).to.equal(409)
      expect(message).to.match(WORDS).and.include('url is required')
      await changeCarrierAccount(other, account, { settings: { url: bird.url, apiKey: API_KEY } })
      const changed = await getCarrierAccountById(other, account.id)
      expect(await testCarrierAccount(other, changed)).to.deep.equal({ ok: true })
    })
  })
})
