import { startTelnyx } from '../../test/carriers/stand-ins/telnyx.js'
import { announce, record } from './record.js'

/** A stand-in for Telnyx, in a process of its own. It is the account that lines with two of them send by first. */
const { url, credentials } = await startTelnyx({
  isOwn: () => true,
  onTaken: ({ from, to, text = '' }) => {
    record({ from, to, text })
  },
})
announce(url, { credentials })
