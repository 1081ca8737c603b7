import { expect } from 'chai'
import type { Parameter } from '../../../src/web/openapi/parts.js'
import { describeWith } from '../../helpers/suite.js'
import { askOf } from './sample-requests.js'
import { describedOperations } from './operations.js'
import { serveApi } from './support.js'
import { worldFor } from './world.js'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** Each instead of a value, as JSON. */
const VALUES = [
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '"{{"',
  `"${'x'.repeat(60_000)}"`,
  '[]',
  '{}',
  '[null]',
  '[[["x"]]]',
  nested(30),
  nested(5000),
  '{"toString":1,"valueOf":1}',
  '{"length":1}',
  '{"then":1}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"\\u0000":"\\udfff"}',
]

/** Each instead of a whole body. */
const BODIES = [
  ...VALUES,
  '',
  '{',
  '\ufeff{}',
  '{"__proto__":null}',
  '{"":""}',
  '{"\\u0000":1}',
  '{"\\ud800":1}',
  '{"toString":1}',
  '{"hasOwnProperty":1,"constructor":1}',
  `{"${'x'.repeat(60_000)}":1}`,
  'a=1&a=2&__proto__=3',
]

const QUERIES = [
  '__proto__=1',
  'toString=1',
  '%00=%00',
  '%ff',
  '=',
  '&&',
  'limit[]=1',
  'a=1&a=2',
  'lineId=%ed%a0%80',
]

describeWith('no client input makes the service fail', serveApi, (api) => {
  for (const described of describedOperations().filter(({ path }) => path.startsWith('/v1/'))) {
    const { method, operation } = described

    it(`in a request to ${operation.operationId}`, async () => {
      const world = await worldFor(api, described)
      const ask = askOf(world, described)
      await ask.prepare?.(world)
      const right = ask.right ?? {}
      const inFields = Object.keys(right).flatMap((name) =>
        VALUES.map((value) =>
          JSON.stringify({ ...right, [name]: 0 }).replace(`"${name}":0`, `"${name}":${value}`),
        ),
      )
      const headers = { Authorization: world.client.authorization }
      const send = async (query: string, body?: string) => {
        const url = `${api.web.url}${ask.target}?${query}`
        const answer = await fetch(url, { method, headers, body: body ?? null })
        await answer.body?.cancel()
        expect(answer.status, `${query} ${body?.slice(0, 200)}`).to.be.below(500)
      }
      const parameters = ((operation.parameters ?? []) as Parameter[]).filter((each) => each.in === 'query')
      const withNul = parameters.flatMap(({ name }) => [`${name}=%00`, `${name}=1%00`])
      await Promise.all([...QUERIES, ...withNul].map((query) => send(query)))
      if (method === 'GET' || method === 'DELETE') return
      const bodies = [...BODIES, ...inFields]
      // A few at a time, as one program would.
      while (bodies.length > 0) await Promise.all(bodies.splice(0, 8).map((body) => send('', body)))
    })
  }
})
