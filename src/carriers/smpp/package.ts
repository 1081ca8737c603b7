import smpp from 'smpp'

/**
 * The package as we use it: the codec of PDUs. Its `Session` is left alone: it never calls back when the socket
 * dies, reads nothing more after one faulty PDU, and has no time-outs.
 *
 * Bodies stay bytes, and times the text that they are: what an alphabet means differs between SMSCs, and a faulty
 * time must not make a PDU unreadable.
 */
smpp.filters.message.decode = (value) => value
smpp.filters.time.decode = (value) => value

export { smpp }
