import { expect } from 'chai'
import type { Message } from '../../../src/database/messages/message.js'
import { describeWith } from '../../helpers/suite.js'
import { askPlainly, createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

describeWith('a form, where an operation takes one besides JSON', serveApi, (api) => {
  const post = (client: Client, path: string, body: string | FormData) =>
    askPlainly(api, client, path, { body })

  it('has carrierOptions as JSON text, and is refused if they are written in another way', async () => {
    const { line, client } = await createOwner(api)
    const message = { lineId: line.lineId, toNumber: '+15005550101', text: 'Hi' }
    const send = (more: Record<string, string>) =>
      post(client, '/v1/messages', new URLSearchParams({ ...message, ...more }).toString())

    const sent = expectAnswer(await send({ carrierOptions: '{"templateId":"1007"}' })) as Message
    expect(sent.carrierOptions).to.deep.equal({ templateId: '1007' })
    const without = expectAnswer(await send({ carrierOptions: 'null' })) as Message
    expect(without.carrierOptions).to.equal(null)

    const wanted = /^In a form, carrierOptions must be one field with a JSON object, such as \{"templateId"/
    const others: Record<string, string>[] = [
      { 'carrierOptions[templateId]': '1007' },
      { 'carrierOptions.templateId': '1007' },
      { carrierOptions: 'templateId=1007' },
      { carrierOptions: '{"__proto__":"x"}' },
      { carrierOptions: '' },
    ]
    for (const wrong of others) expectProblem(await send(wrong), 400, wanted)
    expectProblem(
      await send({ carrierOptions: '{"templateId":1007}' }),
      400,
      /^carrierOptions can have up to/,
    )
  })

  it('gives each field once, except for a list', async () => {
    const { line, client } = await createOwner(api)
    const form = `lineId=${line.lineId}&toNumber=%2B15005550101&text=a`
    expectProblem(await post(client, '/v1/messages', `${form}&text=b`), 400, /^text can be given only once$/)
    expectProblem(
      await post(client, '/v1/messages', `${form}&lineId=x`),
      400,
      /^lineId can be given only once$/,
    )
    expectProblem(
      await post(client, '/v1/contacts', 'phoneNumber=%2B15005550102&name=a&name=b'),
      400,
      /^name can be given only once$/,
    )
    // Unknown fields of a form are ignored, however often they come.
    expectAnswer(await post(client, '/v1/messages', `${form}&more=1&more=2`))
  })

  it('is not multipart, and the error says what is accepted', async () => {
    const { client } = await createOwner(api)
    const form = new FormData()
    form.set('text', 'Hi')
    const refused = await post(client, '/v1/messages', form)
    expectProblem(
      refused,
      400,
      /^A multipart\/form-data body is not accepted\. Send a JSON object, or a form as /,
    )
  })
})

describeWith('a field of JSON that is named __proto__', serveApi, (api) => {
  it('is named by the error, also within carrierOptions and in a batch', async () => {
    const { line, client } = await createOwner(api)
    const options = '{"__proto__":"x"}'
    const message = `{"lineId":"${line.lineId}","toNumber":"+15005550101","text":"Hi","carrierOptions":${options}}`
    for (const [path, body] of [
      ['/v1/messages', message],
      ['/v1/messages/batch', `{"messages":[${message}]}`],
      ['/v1/segments', '{"text":"a","constructor":{"prototype":{}}}'],
    ] as const) {
      expectProblem(
        await askPlainly(api, client, path, { body }),
        400,
        /^A field of the request body is named __proto__, or constructor with a field prototype\. Remove it$/,
      )
    }
  })
})
