import { Validator } from '@seriousme/openapi-schema-validator'
import type Router from '@koa/router'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { newId } from '../../../src/ids.js'
import { createVocabulary, isFreeWord } from '../../../src/vocabulary.js'
import { createApp } from '../../../src/web/app.js'
import { describeApi } from '../../../src/web/openapi/document.js'
import { withNamedBodies } from '../../../src/web/openapi/named-bodies.js'
import { describeContext } from '../../helpers/context.js'
import { serveApp } from '../../helpers/web/web.js'
import { operationsOf } from './described.js'

type Json = Record<string, unknown>

interface OpenApiOperation {
  requestBody: { content: Record<string, { schema: Json }> }
}

const environment = { PUBLIC_URL: 'https://linehook.example/below/' }

describeContext('/openapi.json', { environment }, (context) => {
  const documentOf = (productWord: string, overrides: Partial<Context['config']> = {}) => {
    const vocabulary = createVocabulary(productWord)
    return JSON.parse(
      JSON.stringify(describeApi({ ...context, vocabulary, config: { ...context.config, ...overrides } })),
    ) as Json
  }
  const answeredIn = (word: string) => withNamedBodies(documentOf(word) as never) as Json

  for (const word of ['line', 'burner']) {
    it(`is OpenAPI 3.1, with every reference in it (${word})`, async () => {
      const validator = new Validator()
      const { valid, errors } = await validator.validate(answeredIn(word))
      expect(valid, JSON.stringify(errors)).to.be.true
      expect(validator.version).to.equal('3.1')
      expect(JSON.stringify(validator.resolveRefs())).not.to.include('"$ref"')
    })

    it(`has every route of the API and no other (${word})`, () => {
      const vocabulary = createVocabulary(word)
      const routes = routesOf({ ...context, vocabulary })
        .filter((route) =>
          /^[A-Z]+ \/(v1|webhooks|simulator\/(inbound|outbox)|healthz|readyz|openapi|oauth\/(?!consent|authorize\/)|\.well-known)/.test(
            route,
          ),
        )
        .map((route) => route.replace(/:(\w+)/g, '{$1}').replace('{lineId}', `{${vocabulary.idField}}`))
        // Of two spellings the document has the product word's.
        .filter((route) => word === 'line' || !/\/line(s|Id)?\//.test(`${route}/`))
      const described = operationsOf(documentOf(word)).map(({ method, path }) => `${method} ${path}`)
      expect(described).to.have.members(routes)
    })
  }

  it('says the product word and nothing of lines, but for the reason `line_disabled`', () => {
    const text = JSON.stringify(documentOf('burner'))
    expect(text.replaceAll('Linehook', '').replaceAll('linehook', '')).not.to.match(
      /(?<![a-z])lines?(?![a-z_])|lineId/i,
    )
  })

  it('loses no name to the product word; a word that it has for something else is refused', () => {
    // Each word is put into one document, because describing the API again for hundreds of words takes ten seconds.
    const text = JSON.stringify(documentOf('burner'))
    const count = countNames(JSON.parse(text))
    const names = [
      ...[...text.matchAll(/"([a-z]+?)(?:_?ids?)?":/gi)].map(([, name = '']) => name.toLowerCase()),
      ...[...text.matchAll(/\/([a-z]+?)s?(?=["/])/g)].map(([, name = '']) => name),
    ]
    const lost = [...new Set(names)].filter((word) => {
      if (word.startsWith('burner') || !isFreeWord(word)) return false
      const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`
      return countNames(JSON.parse(text.replaceAll('burner', word).replaceAll('Burner', capital))) !== count
    })
    expect(lost).to.deep.equal([])
    expect(isFreeWord('User')).to.be.false
  })

  it('leaves out the simulator where that is off', () => {
    expect(Object.keys(documentOf('line', { simulator: false }).paths as Json).join()).not.to.include(
      'simulator',
    )
  })

  it('names each operation once', () => {
    const ids = operationsOf(documentOf('line')).map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('asks for a token below /v1 and nowhere else', () => {
    // The simulator's want one too where others reach them: simulator/programs.test.ts.
    const document = documentOf('line', { publicUrl: 'http://localhost:3000' })
    for (const { path, operation } of operationsOf(document)) {
      const security = operation.security as object[] | undefined
      if (!path.startsWith('/v1/') || path.startsWith('/v1/oauth/')) expect(security, path).to.deep.equal([])
      else expect(security?.[0], path).to.deep.equal(security === undefined ? undefined : { apiToken: [] })
    }
  })

  it('says 403 of every operation that a token is asked for: an application’s may be the wrong one', () => {
    for (const { operation } of operationsOf(documentOf('line'))) {
      const { responses, operationId } = operation
      if ('401' in responses && operation.tags[0] !== 'OAuth')
        expect(responses, operationId).to.have.property('403')
    }
  })

  it('tells what each operation and each group of them is for, and whom to ask', () => {
    const document = documentOf('line')
    const tags = document.tags as { name: string; description: string }[]
    for (const { description } of tags) expect(description).to.have.length.above(10)
    expect(document.info).to.have.deep.property('contact', {
      name: 'The operator of this installation',
      url: 'https://linehook.example/below',
    })
    for (const { operation } of operationsOf(document)) {
      expect(operation.description, operation.operationId).to.be.a('string').that.has.length.above(10)
      expect(tags.map(({ name }) => name)).to.include.members(operation.tags)
      const statuses = Object.keys(operation.responses)
      expect(statuses, operation.operationId).to.satisfy((all: string[]) =>
        all.some((each) => each.startsWith('4')),
      )
    }
  })

  it('allows no empty Idempotency-Key, which every operation refuses', () => {
    const keys = operationsOf(documentOf('line')).flatMap(({ operation }) =>
      ((operation.parameters ?? []) as { name?: string; schema?: object }[]).filter(
        ({ name }) => name === 'Idempotency-Key',
      ),
    )
    expect(keys).to.not.be.empty
    for (const { schema } of keys) expect(schema).to.include({ minLength: 1 })
  })

  it('says what a number, a URL and a choice look like', () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(documentOf('line'), 'openapi')
    const isValid = (pointer: string, value: unknown) => ajv.validate({ $ref: `openapi#${pointer}` }, value)
    const expectBodies = (path: string, whole: object, cases: [more: object, expected: boolean][]) => {
      for (const [more, expected] of cases)
        expect(isValid(bodyOf(path), { ...whole, ...more }), JSON.stringify(more)).to.equal(expected)
    }
    const bodyOf = (path: string, method = 'post') =>
      `/paths/${path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method}/requestBody/content/application~1json/schema`
    const line = '/components/schemas/Line/properties/phoneNumber'
    expect([isValid(line, '+15551234567'), isValid(line, '15551234567')]).to.deep.equal([true, false])

    expectBodies('/v1/messages', { lineId: newId(), toNumber: '+15551234567' }, [
      [{ text: 'Hi' }, true],
      [{ mediaUrl: 'https://example.com/a.png' }, true],
      [{ text: '', mediaUrl: 'https://example.com/a.png' }, true],
      [{ text: 'Hi', mediaUrl: '' }, true],
      [{}, false],
      [{ text: ' ' }, false],
      [{ mediaUrl: 'ftp://example.com/a.png' }, false],
      [{ mediaUrls: ['https://example.com/a.png', 'https://example.com/b.png'] }, true],
      [{ mediaUrls: [] }, false],
      [{ mediaUrls: 'https://example.com/a.png' }, false],
      [{ mediaUrls: Array<string>(11).fill('https://example.com/a.png') }, false],
    ])
    const mediaUrl = 'https://example.com/a.png'
    expectBodies('/simulator/inbound', { toNumber: '+15551234567', fromNumber: '+15557654321' }, [
      [{ text: 'Hi' }, true],
      [{ mediaUrl }, true],
      [{}, false],
      [{ text: 'Hi', mediaUrl }, true],
      [{ text: 'Hi', mediaUrls: [mediaUrl, mediaUrl] }, true],
      [{ text: 'Hi', voicemailUrl: mediaUrl }, false],
      [{ mediaUrl, voicemailUrl: mediaUrl }, false],
      [{ voicemailUrl: mediaUrl }, true],
    ])
    expectBodies('/v1/endpoints/{endpointId}/policy/preview', {}, [
      [{ templateContentType: 'application/vnd.api+json; charset=utf-8' }, true],
      [{ templateContentType: null }, true],
      [{ templateContentType: '' }, false],
      [{ templateContentType: 'text' }, false],
    ])
    expectBodies('/oauth/access', { client_id: newId(), client_secret: 'x' }, [
      [{ grant_type: 'authorization_code', code: 'x' }, true],
      [{ grant_type: 'refresh_token', refresh_token: 'x' }, true],
      [{ grant_type: 'refresh_token', code: 'x' }, false],
      [{ grant_type: 'password' }, false],
    ])
  })

  it('is what generators of clients understand: one class for the body of a message, and objects that may be null', () => {
    const document = documentOf('line')
    const { post } = (document.paths as Record<string, Record<string, OpenApiOperation>>)['/v1/messages']!
    for (const { schema } of Object.values(post!.requestBody.content)) {
      expect(schema).to.include.keys('properties').and.not.have.any.keys('anyOf', 'oneOf', 'allOf')
    }
    expect(JSON.stringify(document)).not.to.match(/"type":\["object","null"\]/)
  })

  for (const word of ['line', 'burner']) {
    it(`has a name for each request body, one for its JSON and one for its form (${word})`, () => {
      const document = answeredIn(word)
      const { schemas } = document.components as { schemas: Record<string, Json> }
      const names = operationsOf(document).flatMap(({ path, operation }) => {
        const { content = {} } = (operation.requestBody ?? {}) as Partial<OpenApiOperation['requestBody']>
        return Object.entries(content).map(([type, { schema }]) => {
          expect(schema, `${operation.operationId} ${type}`).to.have.all.keys('$ref')
          const name = String(schema.$ref).replace('#/components/schemas/', '')
          expect(schemas, operation.operationId).to.have.property(name)
          if (!path.includes('/oauth/')) expect(schemas[name], name).not.to.have.any.keys('anyOf', 'oneOf')
          return name
        })
      })
      expect(names).to.include.members(['SendMessageBody', 'SendMessageForm', 'SimulateInboundBody'])
      const own = names.filter((name) => name !== 'WebhookMessage')
      expect(new Set(own).size).to.equal(own.length)
    })
  }

  it('has no schema whose name is New and that of another, as the constructors of Go clients are called', () => {
    const { schemas } = answeredIn('line').components as { schemas: Json }
    const names = Object.keys(schemas)
    expect(names).to.not.be.empty
    expect(
      names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    ).to.deep.equal([])
  })

  it('is answered to everybody, and names no host', async () => {
    const web = await serveApp(context)
    try {
      const { status, body } = await web.request('/openapi.json')
      expect(status).to.equal(200)
      expect(body).to.deep.equal(answeredIn('line'))
      expect(body).to.have.deep.property('servers', [{ url: '/below' }])
    } finally {
      await web.close()
    }
  })
})

/** `GET /v1/lines`, … as the router has them. */
/** The names of the fields of all objects, and of the parameters of each list of them. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce<number>((sum, each) => sum + countNames(each), 0)
  const names = Array.isArray(value) ? value.map(parameterName) : Object.keys(value)
  return inner + new Set(names).size
}

/** Everything else counts as itself. */
function parameterName(value: unknown): unknown {
  const { in: place, name } = Object(value) as Json
  return place === undefined ? value : `${String(place)} ${String(name)}`
}

function routesOf(context: Context): string[] {
  const { middleware } = createApp(context) as unknown as { middleware: { router?: Router }[] }
  const stack = middleware.flatMap(({ router }) => router?.stack ?? [])
  return stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  )
}
