import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import { httpSettings } from '../../../src/carriers/http/settings.js'
import { addCarrierAccount, type CarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { listCallbackUrls } from '../../../src/domain/carriers/callback-urls.js'
import { listUnclearCallbacks } from '../../../src/domain/carriers/unclear-callbacks.js'
import { runHousekeeping } from '../../../src/domain/operating/housekeeping.js'
import { ANNA } from '../../domain/fixtures.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { describeWeb } from '../../helpers/web/web.js'

const SECRET = 'what only the carrier and we know'
const DONE = { status: 200, text: '{"success":true}' }

describeWeb('callbacks of a carrier that is described by settings', ({ context, web }) => {
  let accountCount = 0

  async function add(
    settings: Record<string, unknown>,
  ): Promise<{ account: CarrierAccount; line: TestLine }> {
    accountCount += 1
    const name = `carrier-${accountCount}`
    const account = await addCarrierAccount(context, {
      name,
      kind: 'http',
      settings: { url: 'https://sms.example.com/', signingSecret: SECRET, ...settings },
    })
    return { account, line: await createLine(context, { carrierAccount: name }) }
  }
  const pathOf = ({ id }: { id: string }, name = 'message') => `/carriers/http/${id}/${name}`
  const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    web.post(path, body, { 'Content-Type': 'text/plain', ...headers })
  const signed = (body: string | Buffer) => ({
    'X-Signature': createHmac('sha256', SECRET).update(body).digest('hex'),
  })
  const postSigned = (path: string, body: string | Buffer) => post(path, body, signed(body))
  const received = ({ lineId }: TestLine) =>
    context
      .db('messages')
      .where({ line_id: lineId, direction: 'inbound' })
      .orderBy('messages.id')
      .select<{ id: string; from: string; text: string }[]>({
        id: 'carrier_message_id',
        from: 'from_number',
        text: 'text',
      })
  const idsOf = async (line: TestLine) => (await received(line)).map(({ id }) => id)
  const unclear = async (account: CarrierAccount) =>
    (await listUnclearCallbacks(context, account)).map(({ why, count }) => ({ why, count }))

  describe('by GET', () => {
    it('bring what is in the query, with the secret of the URL, and a HEAD brings nothing', async () => {
      const { account, line } = await add({ verification: 'url' })
      const own = (await listCallbackUrls(context, account)).find(({ name }) => name === 'message')
      const { pathname, search } = new URL(own?.url ?? '')
      // Many a carrier does not escape the plus sign, which stands for a space then.
      const query = `&id=g1&from=${ANNA}&to=${line.number}&text=Zo%C3%AB+%26+me`
      expect(await web.request(pathname + search + query, { method: 'HEAD' })).to.include({ status: 405 })
      expect(await received(line)).to.deep.equal([])
      for (let n = 0; n < 2; n += 1) expect(await web.request(pathname + search + query)).to.include(DONE)
      expect(await received(line)).to.deep.equal([{ id: 'g1', from: ANNA, text: 'Zoë & me' }])
      expect(await web.request(`${pathname}?key=other${query}`)).to.include({ status: 403 })
      expect(await web.request(`${pathname}?${query}`)).to.include({ status: 403 })

      // What is not understood is kept, and our secret is not.
      expect(await web.request(`${pathname}${search}&from=${ANNA}&to=${line.number}`)).to.include(DONE)
      const [kept] = await listUnclearCallbacks(context, account)
      expect(kept).to.include({ method: 'GET', why: 'a message without id' })
      expect(kept?.query).not.to.include('key=').and.not.to.include(new URLSearchParams(search).get('key'))
    })
  })

  describe('in XML', () => {
    it('bring the elements at a path, one or many, and a document type is not read', async () => {
      const { account, line } = await add({ itemsField: 'batch.sms', textField: 'body', fromField: 'sender' })
      const sms = (id: string, text: string) =>
        `<sms id="${id}"><sender>${ANNA}</sender><to>${line.number}</to><body>${text}</body></sms>`
      const documentOf = (...all: string[]) => `<?xml version="1.0"?>\n<batch>${all.join('\n')}</batch>`
      const path = pathOf(account)
      expect(await postSigned(path, documentOf(sms('x1', 'one &amp; &#x1F642;')))).to.include(DONE)
      const two = documentOf(sms('x2', '<![CDATA[<b>two</b>]]>'), sms('x3', 'three'))
      expect(await postSigned(path, two)).to.include(DONE)
      const hostile = `<!DOCTYPE batch [<!ENTITY e SYSTEM "file:///etc/passwd">]>${documentOf(sms('x4', '&e;'))}`
      expect(await postSigned(path, hostile)).to.include(DONE)
      expect(await received(line)).to.deep.equal([
        { id: 'x1', from: ANNA, text: 'one & 🙂' },
        { id: 'x2', from: ANNA, text: '<b>two</b>' },
        { id: 'x3', from: ANNA, text: 'three' },
      ])
      expect(await unclear(account)).to.deep.equal([
        { why: 'a request without the expected content', count: 1 },
      ])
    })
  })

  describe('as a JSON list', () => {
    it('bring each of its items, whatever is wrong with the others, and a repeat brings nothing new', async () => {
      const { account, line } = await add({})
      const item = (id: string | undefined, to = line.number) => ({ id, from: ANNA, to, text: `text ${id}` })
      const body = JSON.stringify([
        item('j1'),
        'no object',
        item(undefined),
        null,
        item('j2', '+15557770000'),
        item('j3'),
      ])
      for (let n = 0; n < 2; n += 1) expect(await postSigned(pathOf(account), body)).to.include(DONE)
      expect(await idsOf(line)).to.deep.equal(['j1', 'j3'])
      const [kept, ...others] = await unclear(account)
      expect(others).to.deep.equal([])
      expect(kept?.count).to.equal(2)
      expect(kept?.why).to.match(/^an item that is not an object; a message without id; .*line/)
    })

    it('bring those after one that Postgres refuses, and are asked for again', async () => {
      const { account, line } = await add({})
      // A fault of ours, at one of the texts.
      await context.db.raw(`
        create function refuse_one() returns trigger language plpgsql as $$
        begin
          if new.carrier_message_id = 'fails' then raise exception 'a fault of ours'; end if;
          return new;
        end $$`)
      await context.db.raw(
        'create trigger refuse_one before insert on messages for each row execute function refuse_one()',
      )
      const body = JSON.stringify(
        ['k1', 'fails', 'k2'].map((id) => ({ id, from: ANNA, to: line.number, text: id })),
      )
      try {
        expect(await postSigned(pathOf(account), body)).to.include({ status: 500 })
        expect(await idsOf(line)).to.deep.equal(['k1', 'k2'])
      } finally {
        await context.db.raw('drop function refuse_one() cascade')
      }
      expect(await postSigned(pathOf(account), body)).to.include(DONE)
      expect(await idsOf(line)).to.have.members(['k1', 'k2', 'fails'])
    })
  })

  it('are for the line that the URL names, and the signature is over that URL', async () => {
    const { account, line } = await add({ signedText: '{{ url }}|{{ body }}' })
    const other = await createLine(context, { carrierAccount: account.name })
    const call = (to: string, signedFor: string, id: string) => {
      const urlTo = (number: string) => `${pathOf(account)}?to=${number}`
      const body = JSON.stringify({ id, from: ANNA, text: id })
      return post(urlTo(to), body, signed(`${context.config.publicUrl}${urlTo(signedFor)}|${body}`))
    }
    const [escaped, plain] = [encodeURIComponent(line.number), other.number]
    expect(await call(escaped, escaped, 'u1')).to.include(DONE)
    expect(await call(plain, plain, 'u2')).to.include(DONE)
    expect(await call(plain, escaped, 'u3')).to.include({ status: 403 })
    expect([await received(line), await received(other)]).to.deep.equal([
      [{ id: 'u1', from: ANNA, text: 'u1' }],
      [{ id: 'u2', from: ANNA, text: 'u2' }],
    ])
  })

  describe('with a time', () => {
    const keys = generateKeyPairSync('ed25519')
    const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
    const hmac = (algorithm: string, encoding: 'hex' | 'base64') => (over: string) => ({
      'X-Signature': createHmac(algorithm, SECRET).update(over).digest(encoding),
    })
    const basic = Buffer.from(`ada:${SECRET}`).toString('base64')

    for (const [verification, signingSecret, headersOver] of [
      ['hmac-sha1', SECRET, hmac('sha1', 'hex')],
      ['hmac-sha256', SECRET, hmac('sha256', 'base64')],
      ['hmac-sha512', SECRET, hmac('sha512', 'hex')],
      [
        'ed25519',
        publicKey,
        (over: string) => ({
          'X-Signature': sign(null, Buffer.from(over), keys.privateKey).toString('base64'),
        }),
      ],
      ['header', SECRET, () => ({ 'X-Signature': SECRET })],
      ['bearer', 'a-token', () => ({ Authorization: 'Bearer a-token' })],
      ['basic', `ada:${SECRET}`, () => ({ Authorization: `Basic ${basic}` })],
      ['url', '', () => ({})],
    ] as [string, string, (over: string) => Record<string, string>][]) {
      it(`by ${verification} are taken within five minutes of it, and refused before and after`, async () => {
        const { account, line } = await add({
          ...{
            verification,
            signingSecret,
            signedText: '{{ timestamp }}.{{ body }}',
            timestampHeader: 'X-Time',
          },
        })
        const own = (await listCallbackUrls(context, account)).find(({ name }) => name === 'message')
        const { pathname, search } = new URL(own?.url ?? '')
        const call = (id: string, signedAt: number, shownAt: number | undefined = signedAt) => {
          const time = (ms: number) => String(Math.floor(ms / 1000))
          const body = JSON.stringify({ id, from: ANNA, to: line.number, text: id })
          const headers = headersOver(`${time(signedAt)}.${body}`)
          return post(pathname + search, body, { ...headers, 'X-Time': time(shownAt) })
        }
        const now = Date.now()
        const isSigned = /^hmac|^ed25519/.test(verification)
        expect(await call('now', now)).to.include({ status: 200 })
        expect(await call('before', now - 400_000)).to.include({ status: 403 })
        expect(await call('ahead', now + 400_000)).to.include({ status: 403 })
        // A recorded request with a new time is refused where the time is signed.
        if (isSigned) expect(await call('again', now - 400_000, now)).to.include({ status: 403 })
        const body = JSON.stringify({ id: 'none', from: ANNA, to: line.number, text: 'none' })
        expect(await post(pathname + search, body, headersOver(`.${body}`))).to.include({ status: 403 })
        expect(await idsOf(line)).to.deep.equal(['now'])
      })
    }

    it('cannot be set up so that the time is not signed', async () => {
      const settings = { url: 'https://sms.example.com/', timestampHeader: 'X-Time' }
      for (const verification of ['hmac-sha256', 'ed25519'])
        expect((await failure(httpSettings.validate({ ...settings, verification }))).message).to.match(
          /^signedText must contain \{\{ timestamp \}\}/,
        )
      await httpSettings.validate({ ...settings, signedText: '{{timestamp}}{{ body }}' })
      await httpSettings.validate({ ...settings, verification: 'bearer' })
    })
  })

  it('may bring a list of more than 64 KiB, and each of its messages is received', async () => {
    const { account, line } = await add({})
    const ids = Array.from({ length: 50 }, (_, n) => `m${n}`)
    const list = ids.map((id) => ({ id, from: ANNA, to: line.number, text: id.padEnd(1600, '.') }))
    expect(await postSigned(pathOf(account), JSON.stringify(list))).to.include(DONE)
    expect(await idsOf(line)).to.deep.equal(ids)
  })

  describe('that nobody understands are kept', () => {
    it('100 of an account, the newest, and those of others stay', async () => {
      const [{ account }, { account: other }] = [await add({}), await add({})]
      expect(await postSigned(pathOf(other, 'status'), '{"id":"o","status":"odd"}')).to.include(DONE)
      for (let n = 0; n < 103; n += 1)
        expect(await postSigned(pathOf(account, 'status'), `{"id":"${n}","status":"odd"}`)).to.include(DONE)
      const bodies = (await listUnclearCallbacks(context, account)).map(({ body }) => body.toString())
      expect(bodies).to.deep.equal(
        Array.from({ length: 100 }, (_, n) => `{"id":"${102 - n}","status":"odd"}`),
      )
      expect(await unclear(other)).to.deep.equal([{ why: 'a report with status "odd"', count: 1 }])
    })

    it('whole up to 512 KiB, byte for byte; what is larger is refused, and not kept', async () => {
      const { account } = await add({})
      const bytes = Buffer.alloc(512 * 1024, Buffer.from([0, 255, 254, 10, 65]))
      expect(await postSigned(pathOf(account), bytes)).to.include(DONE)
      const larger = Buffer.concat([bytes, Buffer.from('x')])
      expect(await postSigned(pathOf(account), larger)).to.include({ status: 413 })
      const kept = await listUnclearCallbacks(context, account)
      expect(kept.map(({ body }) => body.equals(bytes))).to.deep.equal([true])
    })

    it('for 14 days since they came last', async () => {
      const { account } = await add({})
      for (const id of ['old', 'young', 'repeated'])
        await postSigned(pathOf(account, 'status'), `{"id":"${id}","status":"odd"}`)
      const age = (id: string, days: number) =>
        context
          .db('unclear_callbacks')
          .where({ account_id: account.id })
          .whereRaw(`convert_from(body, 'UTF8')::json ->> 'id' = ?`, [id])
          .update({ last_at: context.db.raw(`now() - make_interval(hours => ?)`, [days * 24 + 1]) })
      await age('old', 14)
      await age('young', 13)
      await age('repeated', 14)
      await postSigned(pathOf(account, 'status'), '{"id":"repeated","status":"odd"}')
      await runHousekeeping(context)
      const kept = (await listUnclearCallbacks(context, account)).map(({ body }) => body.toString())
      expect(kept).to.deep.equal(['{"id":"repeated","status":"odd"}', '{"id":"young","status":"odd"}'])
    })
  })
})
