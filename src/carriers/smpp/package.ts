import smpp from 'smpp'

/**
 * The package as we use it: as a codec of PDUs. We do not use its `Session`: it never calls back when the socket dies,
 * reads nothing more after one faulty PDU, and has no time-outs.
 *
 * Bodies stay bytes, because alphabets differ between SMSCs. Times stay texts, because a faulty time must not make a
 * PDU unreadable.
 */
smpp.filters.message.decode = (value) => value
smpp.filters.time.decode = (value) => value

/**
 * Reads a string by its length: some SMSCs leave out the NUL at its end, and the package would read on into the next
 * TLV.
 */
for (const tlv of Object.values(smpp.tlvs)) {
  if (tlv.type !== smpp.types.cstring) continue
  tlv.type = {
    ...tlv.type,
    read: (bytes, at, length) => bytes.toString('latin1', at, at + length).replace(/\0[^]*/, ''),
  }
}

/** A `message_payload` has up to 64 KiB (SMPP 3.4 §4.6.1), and the other fields need little. */
export const MAX_PDU_BYTES = 66 * 1024
smpp.PDU.maxLength = MAX_PDU_BYTES

export { smpp }
