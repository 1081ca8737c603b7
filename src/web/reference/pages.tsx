import { STATUS_CODES } from 'node:http'
import type { Context as KoaContext, Middleware } from 'koa'
import type { ComponentChildren } from 'preact'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { Empty } from '../console/form.js'
import { Layout } from '../console/layout.js'
import { ListControls, searchedIn, searchOf } from '../console/listing.js'
import { answerPage, pageOf } from '../console/page.js'
import { Fact, Facts } from '../console/parts/facts.js'
import { PageHead, type Crumbs } from '../console/parts/page-head.js'
import { Fields, fieldsOf, Row } from './fields.js'
import { readReference, type Group, type Reference, type ShownOperation } from './model.js'
import { Call, OperationSection } from './operation.js'
import { Prose } from './prose.js'

/**
 * The API reference, for everybody: a page with all operations, one for each group, and one with the objects in their
 * requests and responses. It has everything that the OpenAPI document has, and needs no script.
 */
export function showReference(context: Context): Middleware {
  return (ctx) => {
    const reference = referenceOf(context)
    const q = searchedIn(ctx)
    const groups = reference.groups
      .map((group) => ({ ...group, operations: group.operations.filter((each) => isAbout(each, q)) }))
      .filter(({ operations }) => operations.length > 0)
    answerReference(
      ctx,
      context,
      { title: 'API', about: reference.about },
      <div class="with-facts">
        <div class="stack">
          <ListControls listing={searchOf('/docs', q, { count: Infinity })} label="Operations" />
          {groups.length === 0 && <Empty>No operations match this search.</Empty>}
          {groups.map((group) => (
            <GroupTable key={group.path} group={group} />
          ))}
        </div>
        <aside>
          <Facts title="About">
            <Fact label="Base URL" copyId="base-url">
              <code>{reference.baseUrl}</code>
            </Fact>
            <Fact label="OpenAPI">
              <a href="/openapi.json">openapi.json</a>
            </Fact>
            <Fact label="Objects">
              <a href="/docs/objects">All objects and their fields</a>
            </Fact>
          </Facts>
          {q === '' && <Rules reference={reference} />}
        </aside>
      </div>,
    )
  }
}

/** @throws UserError 404 */
export function showGroup(context: Context): Middleware {
  return (ctx) => {
    const reference = referenceOf(context)
    const group = reference.groups.find(({ path }) => path === ctx.path)
    if (group === undefined) throw new UserError('Nothing was found at this path', 404)
    answerReference(
      ctx,
      context,
      { title: group.name, about: group.about, crumbs: CRUMBS },
      <div class="reference">
        <Contents
          label="Operations"
          groups={reference.groups}
          entries={group.operations.map(({ id, summary }) => [id, summary])}
          path={group.path}
        />
        <div>
          {group.operations.map((operation) => (
            <OperationSection key={operation.id} reference={reference} operation={operation} />
          ))}
        </div>
      </div>,
    )
  }
}

export function showObjects(context: Context): Middleware {
  return (ctx) => {
    const reference = referenceOf(context)
    const objects = [...reference.schemas]
    answerReference(
      ctx,
      context,
      { title: 'Objects', about: 'The objects in requests and responses, and their fields.', crumbs: CRUMBS },
      <div class="reference">
        <Contents
          label="Objects"
          groups={reference.groups}
          entries={objects.map(([name]) => [name, name])}
          path={ctx.path}
        />
        <div>
          {objects.map(([name, schema]) => (
            <section key={name} id={name} aria-labelledby={`${name}-title`}>
              <h2 id={`${name}-title`}>
                <a href={`#${name}`}>{name}</a>
              </h2>
              <Fields fields={fieldsOf(schema)} showsRequired={false} />
            </section>
          ))}
        </div>
      </div>,
    )
  }
}

/** Read once, when somebody opens the first page: it takes 20 ms, which a process that starts does not have to wait for. */
export function referenceOf(context: Context): Reference {
  const reference = references.get(context) ?? readReference(context)
  references.set(context, reference)
  return reference
}

const references = new WeakMap<Context, Reference>()

export const CRUMBS: Crumbs = [['API', '/docs']]

export function answerReference(
  ctx: KoaContext,
  context: Context,
  head: { title: string; about: string; crumbs?: Crumbs },
  content: ComponentChildren,
): void {
  const { title, about, crumbs } = head
  answerPage(
    ctx,
    <Layout page={pageOf(ctx, context)} title={title} about={about.replaceAll('`', '')}>
      <PageHead {...(crumbs === undefined ? {} : { crumbs })} title={title} />
      <p>
        <Prose text={about} />
      </p>
      {content}
    </Layout>,
  )
}

function isAbout(
  { id, path = '', summary, description, parameters, body }: ShownOperation,
  q: string,
): boolean {
  const names = [
    ...parameters.map(({ name }) => name),
    ...(body === undefined ? [] : fieldsOf(body)).map(({ name }) => name),
  ]
  return [id, path, summary, description, ...names].join('\n').toLowerCase().includes(q.toLowerCase())
}

function GroupTable({ group: { name, path, about, operations } }: { group: Group }) {
  const id = path.replace('/docs/', '')
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <a href={path}>{name}</a>
      </h2>
      <p class="muted">{about}</p>
      <ul class="calls">
        {operations.map((operation) => (
          <li key={operation.id}>
            <a href={`${path}#${operation.id}`}>
              <Prose text={operation.summary} />
            </a>
            <Call operation={operation} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What all operations have in common. */
function Rules({ reference: { tokens, scopes, errors } }: { reference: Reference }) {
  return (
    <>
      <section aria-labelledby="authentication">
        <h2 id="authentication">Authentication</h2>
        <p>
          <code>Authorization: Bearer lhp_…</code>
        </p>
        <p>
          <Prose text={tokens} />
        </p>
      </section>
      <section aria-labelledby="scopes">
        <h2 id="scopes">App scopes</h2>
        <dl class="fields">
          {scopes.map(([scope, sentence]) => (
            <Row key={scope} name={scope} about={sentence} />
          ))}
        </dl>
      </section>
      <section aria-labelledby="errors">
        <h2 id="errors">Errors</h2>
        <dl class="fields">
          {[...errors].map(([status, description]) => (
            <Row
              key={status}
              {...{ id: `error-${status}`, name: status, type: STATUS_CODES[status], about: description }}
            />
          ))}
        </dl>
      </section>
    </>
  )
}

/** The groups, and the parts of the open page. On a phone, the page with all operations takes its place. */
function Contents(props: {
  label: string
  groups: readonly Group[]
  entries: readonly (readonly [id: string, label: string])[]
  path: string
}) {
  const { label, groups, entries, path } = props
  const places = [
    ...groups.map(({ name, path: href }) => [name, href] as const),
    ['Objects', '/docs/objects'] as const,
  ]
  return (
    <nav aria-label={label}>
      <ul>
        {places.map(([name, href]) => (
          <li key={href}>
            {href === path ? (
              <>
                <a href={href} aria-current="page">
                  {name}
                </a>
                <ul>
                  {entries.map(([id, text]) => (
                    <li key={id}>
                      <a href={`#${id}`}>
                        <Prose text={text} />
                      </a>
                    </li>
                  ))}
                </ul>
              </>
            ) : (
              <a href={href}>{name}</a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}
