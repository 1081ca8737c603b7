import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { MAX_TEXT_LENGTH } from '../../../domain/messages/submit/refusals.js'
import { findListCost } from '../../../domain/messages/text-list/cost.js'
import { findPaces } from '../../../domain/messages/text-list/pace.js'
import { planList } from '../../../domain/messages/text-list/plan.js'
import { MAX_ROWS } from '../../../domain/messages/text-list/read-file.js'
import { startTextList } from '../../../domain/messages/text-list/task.js'
import { UserError } from '../../../errors.js'
import { isId, newId } from '../../../ids.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import { fieldOf } from '../form-values.js'
import { Form, Select, TextArea } from '../form.js'
import { Layout } from '../layout.js'
import { withNotice } from '../notices.js'
import { TASKS } from '../operating/tasks.js'
import { answerPage, pageOf, shownOnce, type Act, type Page } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { askedLine } from './line/act.js'
import { linePath, LINES, tabPath } from './line/section.js'
import { readAskedList } from './text-list/form.js'
import { Preview, type PreviewedList } from './text-list/preview.js'

/** Sends one text to everyone in a file: first a preview, then a background task that sends it. */
export function showTextList(context: Context): Middleware {
  return async (ctx) => {
    const line = await askedLine(context, ctx)
    const page = pageOf(ctx, context)
    const path = `${linePath(line.id)}/list`
    const shown = shownOnce<{ list: PreviewedList }>(ctx).list ?? (await typedList(context, ctx, line, page))
    answerPage(
      ctx,
      <Layout page={page} title={`Send to a list · ${line.name}`}>
        <div class="stack">
          <PageHead
            crumbs={[
              ['Lines', LINES],
              [line.name, tabPath(line.id, 'send')],
            ]}
            title="Send to a list"
          />
          {shown === undefined ? (
            <ListForm page={page} path={path} csv={keptFile(ctx)} />
          ) : (
            <>
              <Preview page={page} path={path} list={shown} />
              <details open={page.fault?.action === `${path}/preview`}>
                <summary>Change text or file</summary>
                <ListForm page={page} path={path} csv={shown.csv} list={shown} />
              </details>
            </>
          )}
        </div>
      </Layout>,
    )
  }
}

/** A column that the text names and the file lacks is a fault of either. */
const FILE_FAULT = /^(The file (?!has no column)|The first line |Line \d+ is not valid CSV|Choose a file)/

/** @param props.csv the file that was chosen before, which stays unless another one is chosen */
function ListForm(props: { page: Page; path: string; csv: string | undefined; list?: PreviewedList }) {
  const { page, path, csv, list } = props
  const action = `${path}/preview`
  const { fault } = page
  const isFileRefused = fault?.action === action && FILE_FAULT.test(fault.message)
  return (
    <Form page={page} action={action} isMultipart>
      <label>
        CSV file
        <input
          name="file"
          type="file"
          accept=".csv,text/csv"
          required={csv === undefined}
          {...(isFileRefused ? { 'aria-invalid': 'true' as const } : {})}
        />
        <small>
          {csv !== undefined && 'Leave empty to keep the file you chose. '}
          UTF-8, up to 1 MiB and {MAX_ROWS.toLocaleString('en')} rows. The first line names the columns.
          Numbers need a country code, unless they are in the line's own country.
        </small>
      </label>
      <TextArea
        name="text"
        label="Text"
        hint="Write {{name}} to insert the value of the column “name”."
        rows={4}
        value={list?.text ?? ''}
        required
        more={{ maxlength: MAX_TEXT_LENGTH }}
      />
      {list !== undefined && (
        <Select
          name="column"
          label="Column with the phone numbers"
          options={list.columns.map((each) => [each, each])}
          value={list.plan.column}
        />
      )}
      {csv !== undefined && <input type="hidden" name="csv" value={csv} />}
      <button type="submit" class={list === undefined ? 'primary' : ''}>
        Preview
      </button>
    </Form>
  )
}

/** Nothing is kept until it is sent: the file goes into the page and comes back from there. */
export function postListPreview(context: Context): Act {
  return async (ctx) => ({ shown: { list: await readPreview(context, ctx, await askedLine(context, ctx)) } })
}

/** The form's key is the id of the task: a second press of its button finds the task that the first one made. */
export function postSendList(context: Context): Act {
  return async (ctx) => {
    const line = await askedLine(context, ctx)
    const key = fieldOf(ctx, 'key').toLowerCase()
    if (!isId(key)) throw new UserError('Preview the messages first')
    await startTextList(context, line, readAskedList(ctx).asked, key)
    return withNotice(TASKS, 'list-started')
  }
}

async function readPreview(context: Context, ctx: KoaContext, line: OwnLine): Promise<PreviewedList> {
  const { asked, csv } = readAskedList(ctx)
  const plan = await planList(context, line, asked)
  return {
    csv,
    plan,
    text: asked.text,
    columns: asked.file.columns,
    cost: await findListCost(context, line, plan.segmentCount),
    perMinute: (await findPaces(context, line)).perMinute,
    key: newId(),
  }
}

/**
 * After a refusal the preview stays, if the typed fields have one: for a refused file there is only the previous
 * file.
 */
async function typedList(
  context: Context,
  ctx: KoaContext,
  line: OwnLine,
  { fault }: Page,
): Promise<PreviewedList | undefined> {
  if (fault === undefined || (fault.fields.csv ?? '') === '') return undefined
  try {
    return await readPreview(context, ctx, line)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return undefined
  }
}

/** A valid file is kept if something else was refused. */
function keptFile(ctx: KoaContext): string | undefined {
  if (ctx.method !== 'POST') return undefined
  try {
    return readAskedList(ctx).csv
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return undefined
  }
}
