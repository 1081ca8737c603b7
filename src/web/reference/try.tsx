import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { listOwnLines } from '../../domain/lines/lines.js'
import { UserError } from '../../errors.js'
import { assetPath } from '../assets.js'
import { Empty, Select } from '../console/form.js'
import { pageOf } from '../console/page.js'
import type { Keywords, Parameter, Schema } from '../openapi/parts.js'
import { exampleOf, typeOf } from './example.js'
import { isTryable, tryPath, type Reference, type ShownOperation } from './model.js'
import { Body, Call } from './operation.js'
import { answerReference, CRUMBS, referenceOf } from './pages.js'
import { Prose } from './prose.js'

/** Readers with more lines paste an ID. */
const MAX_OFFERED = 100

/**
 * A form that calls one operation from the browser and shows the response. A script (`assets/try.js`) sends it, so
 * that the API token goes nowhere but to the API; without one, the form cannot be sent at all. Readers who are signed
 * in choose from their own lines.
 *
 * @throws UserError 404
 */
export function showTry(context: Context): Middleware {
  return async (ctx) => {
    const reference = referenceOf(context)
    const isShown = (operation: ShownOperation) => isTryable(operation) && ctx.path === tryPath(operation)
    const group = reference.groups.find(({ operations }) => operations.some(isShown))
    const operation = group?.operations.find(isShown)
    if (group === undefined || operation === undefined) {
      throw new UserError('Nothing was found at this path', 404)
    }
    const { summary, needsToken } = operation
    const { nonce, session, isPortal } = pageOf(ctx, context)
    const lines = session === undefined || isPortal ? [] : await listOwnLines(context, session.userId)
    const lineId = lines[0]?.id
    answerReference(
      ctx,
      context,
      {
        title: `Try “${summary.replaceAll('`', '')}”`,
        about: `This sends a real request to this installation${needsToken ? ', with your API token' : ''}.`,
        crumbs: [...CRUMBS, [group.name, `${group.path}#${operation.id}`]],
      },
      <div class="operation">
        <div>
          <p>
            <Call operation={operation} />
          </p>
          <noscript>
            <p class="notice">
              This form needs JavaScript. <a href={`${group.path}#${operation.id}`}>The curl command</a> does
              the same.
            </p>
          </noscript>
          <form class="try" data-method={operation.method} data-path={operation.path}>
            {/* Sent by the browser itself, the form would put the token into this page's URL. */}
            <fieldset disabled>
              {needsToken && <TokenField />}
              {operation.parameters.map((parameter) => (
                <ParameterField key={parameter.name} {...{ reference, parameter, lineId }} />
              ))}
              <BodyField {...{ reference, operation, lineId }} />
              <datalist id="own-lines">
                {lines.slice(0, MAX_OFFERED).map(({ id, name }) => (
                  <option key={id} value={id} label={name} />
                ))}
              </datalist>
              <p class="buttons">
                <button type="submit" class="primary">
                  Send request
                </button>
                <button type="button" class="secondary" data-stop hidden>
                  Stop
                </button>
              </p>
            </fieldset>
          </form>
          <Body reference={reference} operation={operation} title="Fields of the body" />
        </div>
        <section aria-labelledby="response">
          <h2 id="response">Response</h2>
          <Empty>Send the request to see its response.</Empty>
          <p class="response-status" role="status" />
          <details class="response-headers" hidden>
            <summary>Headers</summary>
            <pre tabIndex={0} />
          </details>
          <div class="copyable response-body" hidden>
            <code id="response-body" tabIndex={0} />
            <button
              type="button"
              class="secondary"
              data-copy="response-body"
              aria-label="Copy the response"
              hidden
            >
              Copy
            </button>
          </div>
          <script src={assetPath('try.js')} nonce={nonce} defer />
        </section>
      </div>,
    )
  }
}

function TokenField() {
  return (
    <>
      <label>
        API token
        {/* Browsers fill a saved password into a field that says `off`, and it would be sent as the token. */}
        <input
          type="password"
          name="secretToken"
          autocomplete="new-password"
          spellcheck={false}
          aria-describedby="token-hint"
        />
      </label>
      <small id="token-hint">
        This tab remembers it until you close it. You can{' '}
        <a href="/console/settings#api-tokens">create a token</a> in the console.
      </small>
    </>
  )
}

/** Its name says where the script puts it: `path.lineId`, `query.limit`, `header.Idempotency-Key`. */
function ParameterField(props: { reference: Reference; parameter: Parameter; lineId: string | undefined }) {
  const { reference, parameter, lineId } = props
  const { in: place, description } = parameter
  const isLine = parameter.name === 'lineId'
  const required = parameter.required === true
  const schema = parameter.schema as Schema
  const { enum: choices, ...keywords } = schema as Keywords
  const name = `${place}.${parameter.name}`
  const values = choices ?? (typeOf(keywords) === 'boolean' ? ['true', 'false'] : undefined)
  if (values !== undefined) {
    return (
      <Select
        {...{ name, label: parameter.name }}
        options={[...(required ? [] : ['']), ...values.map(String)].map((each) => [each, each])}
      />
    )
  }
  return (
    <>
      <label>
        {parameter.name}
        <input
          type="text"
          name={name}
          required={required}
          autocomplete="off"
          {...(typeof description === 'string' ? { 'aria-describedby': `${name}-hint` } : {})}
          {...(isLine ? { list: 'own-lines' } : {})}
          {...(isLine && required && lineId !== undefined ? { value: lineId } : {})}
          {...(required ? { placeholder: String(exampleIn(reference, schema, parameter.name)) } : {})}
        />
      </label>
      {typeof description === 'string' && (
        <small id={`${name}-hint`}>
          <Prose text={description} />
        </small>
      )}
    </>
  )
}

/** Starts with an example that has only the required fields. */
function BodyField(props: { reference: Reference; operation: ShownOperation; lineId: string | undefined }) {
  const { reference, operation, lineId } = props
  if (operation.body === undefined) return null
  const example = exampleIn(reference, operation.body) as object
  const filled = 'lineId' in example && lineId !== undefined ? { ...example, lineId } : example
  const text = JSON.stringify(filled, null, 2)
  return (
    <label>
      Body
      <textarea name="body" rows={Math.min(Math.max(text.split('\n').length + 1, 4), 16)} spellcheck={false}>
        {text}
      </textarea>
    </label>
  )
}

function exampleIn({ schemas }: Reference, schema: Schema, name = ''): unknown {
  return exampleOf(schema, schemas, { isRequest: true, name })
}
