import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

/** Twilio's own OpenAPI description lies beside the project; a clone may be without it. */
const FILE =
  process.env.TWILIO_OPENAPI ??
  fileURLToPath(new URL('../../../../shared/data/twilio_api_v2010.json', import.meta.url))

export const isDescriptionHere = existsSync(FILE)

export interface ApiRequest {
  method: string
  /** With its query. */
  path: string
  authorization: string
  contentType: string
  body: string
}

interface Operation {
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
}

interface Description {
  paths: Record<string, Record<string, Operation | undefined>>
  components: object
}

/** @returns what of a request is not as the description has it, in words; nothing where there is no description */
export function createChecker(): (request: ApiRequest) => string[] {
  if (!isDescriptionHere) return () => []
  const description = JSON.parse(readFileSync(FILE, 'utf8')) as Description
  // Forms and queries are texts, and a list of one is one of them.
  const ajv = new Ajv({ strict: false, coerceTypes: 'array', allErrors: true, logger: false })
  addFormats.default(ajv)
  const compiled = new Map<object, ValidateFunction>()

  const faultsOf = (what: string, schema: object, values: object): string[] => {
    const validate =
      compiled.get(schema) ??
      ajv.compile({ ...schema, additionalProperties: false, components: description.components })
    compiled.set(schema, validate)
    validate(values)
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${what} ${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  /** One schema for all parameters of a kind; kept, so that it is compiled once. */
  const schemas = new Map<string, object>()
  const schemaOf = (key: string, { parameters = [] }: Operation, kind: 'path' | 'query'): object => {
    const own = parameters.filter((each) => each.in === kind)
    const schema = schemas.get(key + kind) ?? {
      type: 'object',
      properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
      required: own.filter(({ required }) => required).map(({ name }) => name),
    }
    schemas.set(key + kind, schema)
    return schema
  }

  return ({ method, path, authorization, contentType, body }) => {
    const url = new URL(path, 'https://api.twilio.com')
    const found = Object.keys(description.paths)
      .map((template) => ({ template, values: matchPath(template, url.pathname) }))
      .find(({ values }) => values !== undefined)
    const operation = found && description.paths[found.template]?.[method.toLowerCase()]
    if (!operation) return [`${method} ${url.pathname} is no operation of Twilio's`]
    const key = `${method} ${found.template} `
    const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema
    return [
      ...(/^Basic [A-Za-z0-9+/]+=*$/.test(authorization) ? [] : ['the credentials are not Basic']),
      ...faultsOf(`${key}path`, schemaOf(key, operation, 'path'), found.values ?? {}),
      ...faultsOf(`${key}query`, schemaOf(key, operation, 'query'), valuesOf(url.searchParams)),
      ...(form === undefined || contentType === 'application/x-www-form-urlencoded'
        ? []
        : [`${key}has the content type ${contentType}`]),
      ...faultsOf(`${key}form`, form ?? { type: 'object' }, valuesOf(new URLSearchParams(body))),
    ]
  }
}

function valuesOf(fields: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const [first = '', ...rest] = fields.getAll(name)
      return [name, rest.length === 0 ? first : [first, ...rest]]
    }),
  )
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+?)')
  return new RegExp(`^${pattern}$`).exec(path)?.groups ?? (template === path ? {} : undefined)
}
