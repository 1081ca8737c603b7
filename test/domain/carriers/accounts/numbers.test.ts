import { expect } from 'chai'
import { CarrierRefused } from '../../../../src/carriers/carrier.js'
import { addCarrierAccount, type CarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import {
  importNumbers,
  listAccountNumbers,
  setUpNumbers,
} from '../../../../src/domain/carriers/accounts/numbers.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { startImport } from '../../../../src/domain/carriers/accounts/import-task.js'
import { actingAs } from '../../../../src/domain/context.js'
import { addLine, listOwnLines } from '../../../../src/domain/lines/lines.js'
import { describeContext } from '../../../helpers/context.js'
import { API_KEY, BIRDS, startParrot, type Parrot } from '../../../helpers/services/parrot.js'
import { createPerson, type Person } from '../../people/people.js'
import { expectRefusal } from '../../refusal.js'
import { withCarrierOf } from '../../fixtures.js'
import { goOn } from '../../operating/tasks.js'

const FREE = { id: 'PN1', number: '+15557771001', name: 'Front desk' }
const UNNAMED = { id: 'PN2', number: '+15557771002', name: '' }
const TAKEN = { id: 'PN3', number: '+15557771003', name: 'Taken' }

describeContext('the numbers of a carrier account', { carrierKinds: BIRDS }, (context) => {
  let bird: Parrot
  let account: CarrierAccount
  let finch: CarrierAccount
  let owner: Person

  before(async () => {
    bird = await startParrot()
    const settings = { url: bird.url, apiKey: API_KEY }
    account = await addCarrierAccount(context, { name: 'parrot', kind: 'parrot', settings })
    finch = await addCarrierAccount(context, { name: 'finch', kind: 'finch', settings: { pin: 'x' } })
  })

  beforeEach(async () => {
    await context.db('lines').delete()
    owner = await createPerson(context)
    await addLine(context, { userId: owner.id, number: TAKEN.number, carrierAccount: 'simulator' })
    bird.numbers = [FREE, UNNAMED, TAKEN]
    bird.setUp = []
  })

  after(() => {
    bird.close()
  })

  const linesOf = async ({ id }: Person) =>
    (await listOwnLines(context, id)).map(({ number, name, carrierAccount: carrier }) => ({
      number,
      name,
      carrier,
    }))

  it('are listed as the carrier has them, with whose line each is', async () => {
    const numbers = await listAccountNumbers(context, account)
    expect(numbers.slice(0, 2)).to.deep.equal([
      { ...FREE, line: undefined },
      { ...UNNAMED, line: undefined },
    ])
    expect(numbers[2]?.line).to.deep.include({
      carrierAccount: 'simulator',
      userId: owner.id,
      ownerEmail: owner.email,
    })
  })

  it('become lines of a user by being named, each with the carrier’s name for it', async () => {
    const user = await createPerson(context)
    const numbers = ['+1 555 777 1001', FREE.number, UNNAMED.number, TAKEN.number, '+15557779999', 'desk']
    const results = await importNumbers(context, account, { userId: user.id, numbers })
    expect(results.map(({ number, outcome }) => [number, outcome])).to.deep.equal([
      [FREE.number, 'added'],
      [UNNAMED.number, 'added'],
      [TAKEN.number, 'is_a_line'],
      ['+15557779999', 'refused'],
      ['desk', 'refused'],
    ])
    expect(results[3]).to.deep.include({ reason: 'parrot has no such number' })
    expect(await linesOf(user)).to.deep.equal([
      { number: FREE.number, name: 'Front desk', carrier: 'parrot' },
      { number: UNNAMED.number, name: UNNAMED.number, carrier: 'parrot' },
    ])
  })

  it('become lines that are called by their numbers where the carrier has no name for them that is one here', async () => {
    const user = await createPerson(context)
    const numbers = ['\u200b', 'two\nlines'].map((name, n) => ({
      id: `PN1${n}`,
      number: `+1555777200${n}`,
      name,
    }))
    bird.numbers.push(...numbers)
    await importNumbers(context, account, { userId: user.id, numbers: numbers.map(({ number }) => number) })
    expect((await linesOf(user)).map(({ name }) => name)).to.deep.equal(numbers.map(({ number }) => number))
  })

  it('become lines all at once, but for those that are lines, and what cannot be one is refused alone', async () => {
    bird.numbers.unshift({ id: 'PN0', number: '5550000', name: 'a short one' })
    const results = await importNumbers(context, account, { userId: owner.id, numbers: 'all' })
    expect(results.map(({ number, outcome }) => [number, outcome])).to.deep.equal([
      ['5550000', 'refused'],
      [FREE.number, 'added'],
      [UNNAMED.number, 'added'],
    ])
    expect(results[0])
      .to.have.property('reason')
      .that.matches(/^country is required for a short code/)
    expect(await importNumbers(context, account, { userId: owner.id, numbers: 'all' })).to.have.length(1)
  })

  it('become lines by a background task, done twice too, and are set up then; its starter is in the audit log', async () => {
    bird.numbers = Array.from({ length: 45 }, (_, n) => ({
      ...{ id: `PN${n}`, number: `+155577730${String(n).padStart(2, '0')}`, name: `Desk ${n}` },
    }))
    const numbers = [...bird.numbers.map(({ number }) => number), bird.numbers[0]!.number]
    const asOwner = actingAs(context, {
      ...{ kind: 'user', userId: owner.id, credentialId: null, address: null },
    })
    const asked = { userId: owner.id, numbers, setUp: true }
    const unknown = startImport(asOwner, account, { ...asked, numbers: ['+15557779999'] })
    await expectRefusal(unknown, 409, 'parrot has no number +15557779999')
    const work = await startImport(asOwner, account, asked)
    expect(work).to.include({ kind: 'import', totalCount: 45, userId: owner.id })
    // A process that died between the numbers of a batch and its note.
    await addLine(context, { userId: owner.id, number: numbers[3]!, carrierAccount: 'parrot' })
    expect(await goOn(context, work, 1)).to.include({ doneCount: 20, failedCount: 0 })
    expect(await goOn(context, work)).to.include({ status: 'done', doneCount: 45, failedCount: 0 })
    expect(await linesOf(owner)).to.have.length(46)
    expect(bird.setUp).to.have.length(45)
    const [added] = await listAudit(context, { actions: ['line.added'] }, { limit: 1 })
    expect(added).to.include({ actorKind: 'user', actorId: owner.id })
  })

  it('become lines by a background task that says so even if the carrier cannot be asked for its set-up', async () => {
    const numbers = [FREE.number, UNNAMED.number]
    const work = await startImport(context, account, { userId: owner.id, numbers, setUp: true })
    const away = withCarrierOf(context, {
      listNumbers: () => Promise.reject(new CarrierRefused('it is away')),
    })
    expect(await goOn(away, work)).to.include({
      ...{ status: 'failed', doneCount: 2, failedCount: 0 },
      error: 'The lines were added, but callbacks are not set up yet: it is away',
    })
  })

  it('are set up: those of the account’s lines, or those that are named', async () => {
    await importNumbers(context, account, { userId: owner.id, numbers: [FREE.number] })
    expect(await setUpNumbers(context, account)).to.deep.equal([FREE.number])
    expect(bird.setUp).to.deep.equal(['PN1'])
    expect(await setUpNumbers(context, account, [UNNAMED.number, TAKEN.number])).to.have.length(2)
    expect(bird.setUp).to.deep.equal(['PN1', 'PN2', 'PN3'])
  })

  it('are not set up where there is nothing to set up', async () => {
    for (const [setUp, message] of [
      [() => setUpNumbers(context, account), 'parrot has no lines yet. Import its numbers first'],
      [() => setUpNumbers(context, account, ['+15557779999']), 'parrot has no number +15557779999'],
      [() => setUpNumbers(context, finch), 'finch does not use callbacks, so its numbers need no setup'],
    ] as const) {
      await expectRefusal(setUp(), 409, message)
    }
    expect(bird.setUp).to.deep.equal([])
  })

  it('say in words why they cannot be had', async () => {
    const words = 'finch cannot list its numbers. Add each one with `linehook line add`'
    await expectRefusal(listAccountNumbers(context, finch), 409, words)
    const settings = { url: bird.url, apiKey: 'a-wrong-key' }
    const wrong = await addCarrierAccount(context, { name: 'wrong', kind: 'parrot', settings })
    for (const refused of [
      () => listAccountNumbers(context, wrong),
      () => importNumbers(context, wrong, { userId: owner.id, numbers: 'all' }),
      () => setUpNumbers(context, wrong),
    ]) {
      await expectRefusal(refused(), 409, 'the parrot answered 401: look at apiKey')
    }
  })
})
