import type { Context as KoaContext, Middleware } from 'koa'
import { renderToString } from 'preact-render-to-string'
import type { Context } from '../../../domain/context.js'
import { findTour } from '../../../domain/lines/first-steps.js'
import { DIMENSIONS, overviewReaderOf, type Overview } from '../../../domain/operating/overview/overview.js'
import type { Span } from '../../../domain/operating/overview/spans.js'
import { Layout } from '../layout.js'
import { live } from '../live.js'
import { LivePiece } from '../parts/live-piece.js'
import { PageHead } from '../parts/page-head.js'
import { dimensionOf, SpanLinks, spanOf } from './overview/links.js'
import { OverviewNow } from './overview/now.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { OVERVIEW } from '../home.js'
import { sessionOf } from '../people/session.js'
import { TourSection } from '../lines/start/tour.js'

/** Shows the first page of operators: the whole installation at a glance, which keeps itself up to date. */
export function showOverview(context: Context): Middleware {
  return async (ctx) => {
    const span = spanOf(ctx) ?? (await overviewReaderOf(context).chooseSpan())
    const by = dimensionOf(ctx, DIMENSIONS)
    const now = await readNow(context, ctx, span)
    const tour = await findTour(context, sessionOf(ctx).userId)
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <Layout page={page} title="Overview">
        <PageHead title="Overview" acts={<SpanLinks path={OVERVIEW} span={span} by={by} />} />
        <TourSection page={page} tour={tour} />
        <LivePiece at={`${OVERVIEW}/live?span=${span}&by=${by}`}>{now}</LivePiece>
      </Layout>,
    )
  }
}

export function liveOverview(context: Context): Middleware {
  return live(
    context,
    (ctx) => readNow(context, ctx, spanOf(ctx) ?? '1h'),
    (ctx) => [spanOf(ctx), dimensionOf(ctx, DIMENSIONS)],
  )
}

async function readNow(context: Context, ctx: KoaContext, span: Span) {
  const overview = await overviewReaderOf(context).read(span, dimensionOf(ctx, DIMENSIONS))
  const html = renderOnce(overview, pageOf(ctx, context), sessionOf(ctx).userId)
  return <div dangerouslySetInnerHTML={{ __html: html }} />
}

/**
 * The pages differ by what the reader may fix from there, and by their forms; otherwise many pages cost no more than
 * one.
 */
const rendered = new WeakMap<Overview, Map<string, string>>()

function renderOnce(overview: Overview, page: Page, userId: string): string {
  const byBrowser = rendered.get(overview) ?? new Map<string, string>()
  rendered.set(overview, byBrowser)
  const key = page.csrfToken
  const html = byBrowser.get(key) ?? renderToString(<OverviewNow {...{ page, overview, userId }} />)
  byBrowser.set(key, html)
  return html
}
