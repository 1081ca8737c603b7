import { expect } from 'chai'
import { memoryLog } from '../../helpers/process/log.js'
import { until } from '../../helpers/until.js'
import { startModem, type ModemState, type ModemStandIn } from '../stand-ins/modem.js'
import { holdModem, whenReady, type HeldModem } from './fixtures.js'

const BEN = '+15550001111'

describe('what a modem receives', () => {
  let modem: ModemStandIn
  let held: HeldModem
  const { log, lines } = memoryLog()

  async function start(state: Partial<ModemState> = {}): Promise<void> {
    modem = await startModem(state)
    held = holdModem(modem, {}, { log })
    await whenReady(held)
  }
  const emptied = () => until('the modem is empty', () => modem.storedCount() + modem.waitingCount() === 0)

  afterEach(async () => {
    await modem.unplug()
    await held.close()
    await modem.close()
  })

  it('is read once more if its line in the list is damaged, and then deleted', async () => {
    await start({ listedAs: (pdu) => `${pdu.slice(0, 30)}\xff${pdu.slice(30)}` })
    modem.bring(BEN, 'Hello')
    await emptied()
    expect(held.texts.map(({ text }) => text)).to.deep.equal(['Hello'])
    expect(held.unclear).to.deep.equal([])
  })

  it('is read once more if its line in the list is cut off', async () => {
    await start({ listedAs: (pdu) => pdu.slice(0, -4) })
    modem.bring(BEN, 'Hello')
    await emptied()
    expect(held.texts.map(({ text }) => text)).to.deep.equal(['Hello'])
  })

  it('goes on although it announces a memory that it cannot read', async () => {
    await start({ indications: '(0-2),(0,1),(0,2),(0,2),(1)', hasReportMemory: false })
    modem.report(BEN, 7, 0)
    await until('it is said', () => lines.some(({ msg }) => msg === 'modem.memory_unreadable'))
    modem.bring(BEN, 'Hello')
    await until('the text has come', () => held.texts.length === 1)
    expect(held.state()).to.deep.include({ boundCount: 1, fault: undefined })
  })

  it('finds no room beside texts that somebody wrote on the modem, which operators see', async () => {
    modem = await startModem({ capacity: 3 })
    modem.fillWithOwn()
    held = holdModem(modem, {}, { log })
    const details = () => held.state().details ?? ''
    modem.bring(BEN, 'Hello')
    await until('it is said', () => details().includes('full of texts that somebody wrote'))
    expect(lines.filter(({ msg }) => msg === 'modem.memory_full')).to.have.length(1)
    expect(held.state()).to.deep.include({ boundCount: 1, fault: undefined })
    modem.deleteOwn()
    await until('the text has come', () => held.texts.length === 1)
    await until('it is no longer said', () => !details().includes('full'))
  })

  it('leaves out the light for voice mail, whose text is to be discarded (23.038 §4, group 1100)', async () => {
    await start()
    modem.bringPdu('040B915155001011F100C86211260014000000')
    modem.bring(BEN, 'Hello')
    await emptied()
    expect(held.texts.map(({ text }) => text)).to.deep.equal(['Hello'])
    expect(held.unclear).to.deep.equal([])
  })
})
