import knex from 'knex'
import type { Pdu, PduFields } from 'smpp'
import { smpp } from '../../src/carriers/smpp/package.js'

/**
 * This process sends texts to an SMSC as a plain client would: it inserts a row, sends, and updates the row with what the
 * SMSC said, as many at a time as its window has. It tells how many it sends in a second.
 */
const [, , port = '', databaseUrl = '', texts = ''] = process.argv
const TEXTS = Number(texts)
/** As many as an account has by default. */
const WINDOW = 10

process.on('disconnect', () => process.exit())
const db = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: WINDOW } })
await db.raw('drop table if exists texts')
await db.raw('create table texts (id integer primary key, number text, text text, carrier_id text)')

const session = smpp.connect({ host: '127.0.0.1', port: Number(port) })
const ask = (command: string, fields: PduFields) =>
  new Promise<Pdu>((resolve) => session.send(new smpp.PDU(command, fields), resolve))
await new Promise<void>((resolve) => session.once('connect', resolve))
await ask('bind_transceiver', { system_id: 'plain', password: '' })

let next = 0
const startedAt = performance.now()
await Promise.all(
  Array.from({ length: WINDOW }, async () => {
    while (next < TEXTS) {
      const id = (next += 1)
      const number = String(15570000000 + id)
      await db.raw('insert into texts (id, number, text) values (?, ?, ?)', [
        id,
        number,
        'Your code is 123456',
      ])
      const { message_id: carrierId } = await ask('submit_sm', {
        ...{ source_addr: '15005550006', destination_addr: number },
        short_message: Buffer.from('Your code is 123456'),
      })
      await db.raw('update texts set carrier_id = ? where id = ?', [String(carrierId), id])
    }
  }),
)
process.send?.((TEXTS / (performance.now() - startedAt)) * 1000)
