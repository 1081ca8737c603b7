import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import { createVocabulary } from '../../../src/vocabulary.js'
import { describeApi } from '../../../src/web/openapi/document.js'
import type { Parameter } from '../../../src/web/openapi/parts.js'
import { exampleOf } from '../../../src/web/reference/example.js'
import { readReference } from '../../../src/web/reference/model.js'
import { curlOf } from '../../../src/web/reference/operation.js'
import { describeWeb, withWeb, type TestWeb } from '../../helpers/web/web.js'
import { operationsOf } from '../openapi/described.js'

const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
const plain = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const prose = (text: string) => text.replaceAll('`', '').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')

describeWeb('the API reference', ({ context, web }) => {
  const pageOf = async (path: string, of: TestWeb = web) => {
    const { status, headers, text } = await of.request(path)
    expect([path, status, headers.get('content-type')]).to.deep.equal([path, 200, 'text/html; charset=utf-8'])
    return text
  }

  it('has each operation of the OpenAPI document, with its fields, on its list and on the page of its group', async () => {
    const document = describeApi(context)
    const list = await pageOf('/docs')
    const pages = new Map<string, string>()
    const described = operationsOf(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)
    expect(described).to.have.length.above(80)
    for (const { method, path, operation } of described) {
      const { operationId, tags, summary, description, parameters = [] } = operation
      const group = `/docs/${tags[0]!.toLowerCase().replaceAll(' ', '-')}`
      const page = pages.get(group) ?? (await pageOf(group))
      pages.set(group, page)
      expect(list).to.include(`href="${group}#${operationId}"`)
      for (const html of [list, page]) expect(plain(html)).to.include(`${method} ${path}`)
      const [, section = ''] = page.split(` id="${operationId}" `)
      const text = plain(section.split('</section>')[0]!)
      expect(text)
        .to.include(prose(summary))
        .and.to.include(prose((description ?? '') as string))
      for (const { name } of parameters as Parameter[]) expect(text, operationId).to.include(name)
      expect(text, operationId).to.match(/Access: .|to your URL/)
    }
    for (const name of Object.keys(document.webhooks))
      expect(pages.get('/docs/outgoing-webhook')).to.include(`id="${name}"`)
  })

  it('has no link that leads nowhere, and no ID twice', async () => {
    const paths = ['/docs', '/docs/objects', ...readReference(context).groups.map(({ path }) => path)]
    expect(new Set(paths).size).to.equal(paths.length)
    const pages = new Map(await Promise.all(paths.map(async (path) => [path, await pageOf(path)] as const)))
    for (const [at, html] of pages) {
      const ids = idsIn(html)
      expect(
        ids.filter((id, n) => ids.indexOf(id) !== n),
        at,
      ).to.deep.equal([])
      for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        if (!/^#|^\/docs(?!\/try)/.test(href)) continue
        const [path, anchor] = href.split('#')
        const target = pages.get(path === '' ? at : path!)
        expect(target, `${at}: ${href}`).to.be.a('string')
        if (anchor !== undefined) expect(idsIn(target!), `${at}: ${href}`).to.include(anchor)
      }
    }
  })

  it('shows requests and responses that the document allows', () => {
    const document = JSON.parse(JSON.stringify(describeApi(context))) as object
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    const inDocument = (schema: object) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object
    const reference = readReference(context)
    const operations = reference.groups.flatMap((group) => group.operations)
    const faults: string[] = []
    let count = 0
    for (const operation of operations) {
      const shown = [
        ...(operation.body === undefined ? [] : [{ schema: operation.body, isRequest: true }]),
        ...operation.responses.flatMap(({ schema, types }) =>
          schema !== undefined && types[0] === 'application/json' ? [{ schema, isRequest: false }] : [],
        ),
      ]
      for (const { schema, isRequest } of shown) {
        const example = exampleOf(schema, reference.schemas, { isRequest })
        const validate = ajv.compile(inDocument(schema))
        const what = `${operation.id}: ${JSON.stringify(example)}`
        if (!validate(example)) faults.push(`${what} ${ajv.errorsText(validate.errors)}`)
        count += 1
      }
    }
    expect(faults.join('\n')).to.equal('')
    expect(count).to.be.above(100)
  })

  it('has a command for each operation, with its method, its token and what is required', () => {
    const reference = readReference(context)
    const commandOf = (id: string) => {
      const operation = reference.groups
        .flatMap(({ operations }) => operations)
        .find((each) => each.id === id)!
      return curlOf(reference, operation, operation.path!).replaceAll(context.config.publicUrl, 'URL')
    }
    const token = " \\\n  --header 'Authorization: Bearer lhp_…'"
    expect(commandOf('getLine')).to.equal(`curl 'URL/v1/lines/LINE_ID'${token}`)
    expect(commandOf('deleteEndpoint')).to.equal(
      `curl 'URL/v1/endpoints/ENDPOINT_ID' \\\n  --request DELETE${token}`,
    )
    expect(commandOf('pauseSending')).to.include('--request POST')
    expect(commandOf('sendMessage')).to.include('"toNumber": "+15551234567"').and.not.to.include('--request')
    expect(commandOf('sendMessage')).to.match(/\n {2}--data-raw '\{\n(?: {4}"\w+": [^\n]*\n)+ {2}\}'$/)
    expect(commandOf('sendText'))
      .to.include("'URL/webhooks/lineId/LINE_ID?token=…'")
      .and.not.to.include('Bearer')
    expect(commandOf('changeEndpointPolicy'))
      .to.include('--request PATCH')
      .and.to.include('"retrySchedule": "default"')
  })

  it('says who may use an operation', async () => {
    const mayUse = new Map(
      readReference(context).groups.flatMap(({ operations }) =>
        operations.map((each) => [each.id, each.mayUse]),
      ),
    )
    expect(mayUse.get('listLines')).to.equal('Any API token, or an app with any scope')
    expect(mayUse.get('sendMessage')).to.equal(
      'An API token that is not read-only, or an app with `messages:connect` or `messages:write`',
    )
    expect(mayUse.get('createPortalLink')).to.equal("An operator's API token")
    expect(mayUse.get('isAlive')).to.equal('No API token needed')
    expect(plain(await pageOf('/docs/applications'))).to.include('An API token for all lines')
  })

  it('finds operations by their name, path and fields, and says so if there is none', async () => {
    for (const [q, found, other] of [
      ['OPT-OUTS', 'listOptOuts', 'sendMessage'],
      ['clientRef', 'sendMessage', 'listOptOuts'],
      ['resend a failed', 'sendMessageAgain', 'getMessage'],
    ] as const) {
      const html = await pageOf(`/docs?q=${encodeURIComponent(q)}`)
      expect(html).to.include(`#${found}"`).and.not.to.include(`#${other}"`)
    }
    expect(await pageOf('/docs?q=%3Cb%3Ezebra'))
      .to.include('No operation')
      .and.to.include('value="&lt;b>zebra"')
  })

  it('is there for everybody, with the navigation for those who are signed in, and 404 for other groups', async () => {
    const html = await pageOf('/docs')
    expect(html).not.to.include('Sign out')
    expect(html).to.match(/<meta name="description" content="Turns phone lines into webhooks/)
    expect((await web.request('/docs/nothing')).status).to.equal(404)
  })

  it('uses the product word', async () => {
    await withWeb(
      { PRODUCT_WORD: 'burner', PUBLIC_URL: 'https://linehook.example/below/' },
      async (other) => {
        const { groups } = readReference(other.context)
        for (const path of ['/docs', '/docs/objects', ...groups.map((group) => group.path)]) {
          const [, main = ''] = (await pageOf(path, other.web)).split('<main')
          const text = plain(main.split('</main>')[0]!).replaceAll(/linehook/gi, '')
          expect(text, path).not.to.match(/(?<![a-z_])lines?(?![a-z_])|lineId|\{[lL]ine/i)
        }
      },
    )
    expect(createVocabulary('burner').idField).to.equal('burnerId')
  })
})
