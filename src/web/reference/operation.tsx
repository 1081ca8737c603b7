import { STATUS_CODES } from 'node:http'
import { Copyable } from '../console/secret.js'
import { curlCommand } from '../console/messages/message/curl.js'
import type { Parameter, Schema } from '../openapi/parts.js'
import { exampleOf, resolve } from './example.js'
import { Fields, fieldsOf, Row, TypeWords, type Field } from './fields.js'
import { isTryable, tryPath, type Reference, type ShownOperation, type ShownResponse } from './model.js'
import { Prose } from './prose.js'

/** Shows an operation: on the left what it does and takes, on the right a request with its response. */
export function OperationSection(props: { reference: Reference; operation: ShownOperation }) {
  const { reference, operation } = props
  const { id, summary, description, mayUse, parameters, errors } = operation
  return (
    <section id={id} aria-labelledby={`${id}-title`} class="operation">
      <div>
        <h2 id={`${id}-title`}>
          <a href={`#${id}`}>
            <Prose text={summary} />
          </a>
        </h2>
        <p>
          <Call operation={operation} />
        </p>
        {description !== '' && (
          <p>
            <Prose text={description} />
          </p>
        )}
        {mayUse !== '' && (
          <p class="muted">
            <small>
              Access: <Prose text={mayUse} />
            </small>
          </p>
        )}
        <ParameterFields title="Path" of="path" parameters={parameters} />
        <ParameterFields title="Query" of="query" parameters={parameters} />
        <ParameterFields title="Headers" of="header" parameters={parameters} />
        <Body reference={reference} operation={operation} />
        <h3>Responses</h3>
        <dl class="fields">
          {operation.responses.map((response) => (
            <Response key={response.status} response={response} />
          ))}
        </dl>
        {errors.length > 0 && (
          <p class="muted">
            <small>
              Errors:{' '}
              {errors.map((status, n) => (
                <>
                  {n > 0 && ', '}
                  <a key={status} href={`/docs#error-${status}`} title={STATUS_CODES[status]}>
                    {status}
                  </a>
                </>
              ))}
            </small>
          </p>
        )}
      </div>
      <div>
        <Sample reference={reference} operation={operation} />
        {isTryable(operation) && (
          <p>
            <a role="button" class="secondary" href={tryPath(operation)}>
              Try it
            </a>
          </p>
        )}
      </div>
    </section>
  )
}

/** The method and the path. */
export function Call({ operation: { method, path } }: { operation: ShownOperation }) {
  return (
    <code class="call">
      <b class={method.toLowerCase()}>{method}</b> {path ?? 'to your URL'}
    </code>
  )
}

function ParameterFields(props: { title: string; of: string; parameters: readonly Parameter[] }) {
  const fields = props.parameters
    .filter((each) => each.in === props.of)
    .map(({ name, schema, required, description }): Field => ({
      ...{ name, schema: schema as Schema, isRequired: required === true },
      ...(typeof description === 'string' ? { description } : {}),
    }))
  return <Folded title={props.title} fields={fields} />
}

export function Body(props: { reference: Reference; operation: ShownOperation; title?: string }) {
  const { reference, operation, title = 'Body' } = props
  if (operation.body === undefined) return null
  const fields = fieldsOf(resolve(operation.body, reference.schemas) as Schema)
  return <Folded title={title} fields={fields} />
}

/** More fields than this are folded, so that the operations of a page can be seen at a glance. */
const FEW = 4

function Folded({ title, fields }: { title: string; fields: Field[] }) {
  if (fields.length === 0) return null
  if (fields.length <= FEW) {
    return (
      <>
        <h3>{title}</h3>
        <Fields fields={fields} showsRequired />
      </>
    )
  }
  return (
    <details>
      <summary>
        {title} <small>{fields.length} fields</small>
      </summary>
      <Fields fields={fields} showsRequired />
    </details>
  )
}

function Response({
  response: { status, description, headers = {}, schema, types },
}: {
  response: ShownResponse
}) {
  const names = Object.keys(headers)
  const about = [
    description,
    ...(types.length > 1 ? [`Also available as ${inCode(types.slice(1))}.`] : []),
    ...(names.length > 0 ? [`${names.length === 1 ? 'Header' : 'Headers'}: ${inCode(names)}.`] : []),
  ]
  return <Row name={status} type={schema && <TypeWords schema={schema} />} about={about.join(' ')} />
}

function inCode(names: readonly string[]): string {
  return names.map((each) => `\`${each}\``).join(', ')
}

/** The request as a command, and the response, as tabs. An event is the request that the reader's server gets. */
function Sample({ reference, operation }: { reference: Reference; operation: ShownOperation }) {
  const { id, path, body, responses } = operation
  const answer = responses.find(({ types }) => types[0] === 'application/json')
  const json = (schema: Schema, isRequest: boolean) =>
    JSON.stringify(exampleOf(schema, reference.schemas, { isRequest }), null, 2)
  const tabs = [
    ...(path === undefined ? [] : [['curl', curlOf(reference, operation, path)] as const]),
    ...(path === undefined && body !== undefined ? [['Body', json(body, false)] as const] : []),
    ...(answer?.schema === undefined || path === undefined
      ? []
      : [['Response', json(answer.schema, false)] as const]),
  ]
  return (
    <div class="samples">
      {tabs.map(([title, text], n) => (
        <details key={title} name={`${id}-sample`} open={n === 0}>
          <summary>{title}</summary>
          <Copyable
            id={`${id}-${title.toLowerCase()}`}
            text={text}
            what={title === 'curl' ? 'the command' : `the ${title.toLowerCase()}`}
            isScrolled
          />
        </details>
      ))}
    </div>
  )
}

/** Returns a command that calls the operation, with ids in capitals, and with only what is required. */
export function curlOf(reference: Reference, operation: ShownOperation, path: string): string {
  const { method, needsToken, parameters, body } = operation
  const example = (schema: Schema, name: string) =>
    String(exampleOf(schema, reference.schemas, { isRequest: true, name }))
  const query = new URLSearchParams(
    parameters
      // The secret of a webhook is in its URL.
      .filter((each) => each.in === 'query' && (each.required === true || each.name === 'token'))
      .map(({ name, schema }) => [name, example(schema as Schema, name)]),
  ).toString()
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => name.replace(/Id$/, '_ID').toUpperCase())
  const value = body && exampleOf(body, reference.schemas, { isRequest: true })
  return curlCommand({
    url: `${reference.baseUrl}${filled}${query === '' ? '' : `?${decodeURIComponent(query)}`}`,
    // curl chooses these by itself.
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? {} : { method }),
    headers: {
      ...(!needsToken ? {} : { Authorization: 'Bearer lhp_…' }),
      ...(body !== undefined ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(value === undefined ? {} : { body: JSON.stringify(value, null, 2).replaceAll('\n', '\n  ') }),
  })
}
