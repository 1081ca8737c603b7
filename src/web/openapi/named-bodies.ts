import type { Operation, Paths, Schema } from './parts.js'

interface Described {
  paths: Paths
  components: { schemas: Record<string, Schema> }
}

interface Content {
  content: Record<string, { schema: Schema }>
}

/** The endings of the names, by the type of the body. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': 'Body',
  'application/x-www-form-urlencoded': 'Form',
}

/**
 * Gives the schema of each request body a name, such as `SendMessageBody`. Generators of clients need it: of the fields
 * of a schema without a name that may be null, openapi-generator makes classes that do not compile (in Java). A form
 * has a name of its own, because clients by openapi-python-client choose the type of the body by its class.
 */
export function withNamedBodies<Document extends Described>(document: Document): Document {
  const schemas = { ...document.components.schemas }
  const nameBody = (operationId: string, type: string, { schema }: { schema: Schema }) => {
    const ending = ENDINGS[type]
    if (ending === undefined || '$ref' in schema) return { schema }
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${ending}`
    if (name in schemas) throw new Error(`two schemas are called ${name}`)
    schemas[name] = schema
    return { schema: { $ref: `#/components/schemas/${name}` } }
  }
  const nameBodies = (operation: Operation): Operation => {
    const requestBody = operation.requestBody as Content | undefined
    if (requestBody === undefined) return operation
    const content = Object.fromEntries(
      Object.entries(requestBody.content).map(([type, body]) => [
        type,
        nameBody(operation.operationId, type, body),
      ]),
    )
    return { ...operation, requestBody: { ...requestBody, content } }
  }
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([key, each]) => [key, Array.isArray(each) ? each : nameBodies(each)]),
      ),
    ]),
  )
  return { ...document, paths, components: { ...document.components, schemas } }
}
