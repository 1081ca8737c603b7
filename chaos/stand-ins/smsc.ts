import { inboundOf, textOf } from '../../dev/smsc/messages.js'
import { startSmsc } from '../../dev/smsc/server.js'
import { startControl } from './control.js'
import { announce, record } from './record.js'

/** This process is an SMSC. It keeps each text that it has to bring until the text has been taken. */
const smsc = await startSmsc({
  onTaken: (taken) => {
    record({ from: `+${taken.from}`, to: `+${taken.to}`, text: textOf(taken) })
  },
})
const controlUrl = await startControl((told) => {
  const { from, to, text } = told as { from: string; to: string; text: string }
  smsc.bring(inboundOf(from, to, text))
})
announce(controlUrl, { smppPort: smsc.port })
