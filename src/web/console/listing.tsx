import type { ComponentChildren } from 'preact'
import type { Context as KoaContext } from 'koa'
import { storable } from '../../database/text.js'
import { queryOf } from './form-values.js'
import { Select } from './form.js'
import { filterPath } from './time-filter.js'

/** This is a screen and a half. */
const PAGE_SIZE = 50

/**
 * Describes how the rows of a list are found: the searched text of each, its states, and its orders, of which the
 * first is the page's.
 */
export interface ListingOf<Row> {
  words: (row: Row) => readonly (string | null)[]
  states: Record<string, { label: string; has: (row: Row) => boolean }>
  sorts: Record<string, { label: string; compare: (one: Row, other: Row) => number }>
}

export interface Listing<Row> {
  path: string
  shown: Row[]
  /** The number that match, on all pages. */
  count: number
  /** The page's number, from 1. */
  number: number
  pageCount: number
  /** What the address asks for: `q`, `state`, `sort`, and what else a list has. */
  asked: Record<'q' | 'state' | 'sort', string> & Record<string, string>
  /** The states that some row has, each with the number of rows that match the search. */
  states: readonly ListedState[]
  sorts: readonly (readonly [value: string, label: string])[]
  /** True if there are enough rows to search, or some were left out. */
  isControlled: boolean
}

interface ListedState {
  value: string
  label: string
  /** Left out where it would have to be counted in a long table. */
  count?: number
}

/** Fewer rows are seen at a glance and need no controls. */
const FEW = 5

/**
 * Applies the address to a list whose rows are all in memory: lines and endpoints of one user, which are hundreds at
 * most.
 */
export function listingOf<Row>(
  ctx: Pick<KoaContext, 'path' | 'query'>,
  rows: readonly Row[],
  of: ListingOf<Row>,
): Listing<Row> {
  const q = searchedIn(ctx)
  const state = Object.hasOwn(of.states, queryOf(ctx, 'state')) ? queryOf(ctx, 'state') : ''
  const [firstSort = ''] = Object.keys(of.sorts)
  const sort = Object.hasOwn(of.sorts, queryOf(ctx, 'sort')) ? queryOf(ctx, 'sort') : firstSort
  const looked = folded(q)
  const found = rows.filter((row) =>
    of.words(row).some((each) => (each === null ? looked === '' : folded(each).includes(looked))),
  )
  const fitting = found
    .filter((row) => of.states[state]?.has(row) ?? true)
    .toSorted(of.sorts[sort]?.compare ?? (() => 0))
  const pageCount = Math.max(1, Math.ceil(fitting.length / PAGE_SIZE))
  const number = Math.min(pageCount, Math.max(1, Math.floor(Number(queryOf(ctx, 'page'))) || 1))
  return {
    path: ctx.path,
    shown: fitting.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE),
    count: fitting.length,
    ...{ number, pageCount },
    asked: { q, state, sort: sort === firstSort ? '' : sort },
    states: [
      { value: '', label: 'All', count: found.length },
      ...Object.entries(of.states)
        .filter(([value, { has }]) => value === state || rows.some(has))
        .map(([value, { label, has }]) => ({ value, label, count: found.filter(has).length })),
    ],
    sorts: Object.entries(of.sorts).map(([value, { label }]) => [value, label] as const),
    isControlled: rows.length > FEW || q !== '' || state !== '',
  }
}

/** In any case, and in any width of characters, as Japanese keyboards write them. */
function folded(words: string): string {
  return words.normalize('NFKC').toLowerCase()
}

/** Returns the words of a search, as the address has them. */
export function searchedIn(ctx: Pick<KoaContext, 'query'>): string {
  return storable(queryOf(ctx, 'q')).trim().slice(0, 100)
}

type Controlled = Pick<Listing<unknown>, 'path' | 'asked' | 'states' | 'sorts' | 'isControlled'>

interface Search {
  /** The number of rows, as far as it is known. */
  count: number
  state?: string
  states?: readonly ListedState[]
  sort?: string
  sorts?: Controlled['sorts']
  /** The values of the list's own filters. */
  more?: Record<string, string>
}

/** Makes the controls of a list that is searched in the database. */
export function searchOf(
  path: string,
  q: string,
  { count, state = '', states = [], sort = '', sorts = [], more = {} }: Search,
): Controlled {
  const asked = { q, state, sort, ...more }
  const isAsked = q !== '' || states.some(({ value }) => value !== '' && value === state)
  const isFiltered = isAsked || Object.values(more).some((value) => value !== '')
  return { path, asked, states, sorts, isControlled: count > FEW || isFiltered }
}

/**
 * Shows the search box, the filter and the order of a list, which are kept in its address. The states are links, so that
 * one press filters without a script. With a script, a chosen order takes effect at once, and Enter searches.
 */
export function ListControls(props: {
  listing: Controlled
  label: string
  /** The fields of the list's own filters. */
  children?: ComponentChildren
}) {
  const { listing, label, children } = props
  const { path, asked, states, sorts, isControlled } = listing
  const isFiltered = Object.entries(asked).some(([name, value]) => name !== 'sort' && value !== '')
  if (!isControlled) return null
  return (
    <form method="get" action={path} class="filter list" role="search" aria-label={label} data-auto>
      <label>
        <span class="unseen">Search</span>
        <input
          type="search"
          name="q"
          value={asked.q}
          placeholder="Search"
          maxLength={100}
          data-key="/"
          dir="auto"
        />
      </label>
      {states.length > 1 && (
        <nav class="spans" aria-label="Filter by state">
          {states.map(({ value, label: words, count }) => (
            <a
              key={value}
              href={filterPath(path, { ...asked, state: value })}
              aria-current={value === asked.state ? 'page' : undefined}
            >
              {words}
              {count !== undefined && (
                <>
                  {' '}
                  <small>{count}</small>
                </>
              )}
            </a>
          ))}
        </nav>
      )}
      {asked.state !== '' && <input type="hidden" name="state" value={asked.state} />}
      {children}
      {sorts.length > 1 && <Select name="sort" label="Sort by" value={asked.sort} options={sorts} />}
      <button type="submit" class="secondary">
        Search
      </button>
      {isFiltered && <a href={path}>Clear filters</a>}
    </form>
  )
}

/** Returns the address of a page of the list, with its search, filter and order. */
export function addressOfPage(
  { path, asked, number }: Pick<Listing<unknown>, 'path' | 'asked' | 'number'>,
  page = number,
): string {
  return filterPath(path, { ...asked, page: page === 1 ? '' : String(page) })
}

/** Shows the links between the pages of a list; nothing if there is only one page. */
export function ListPages<Row>({ listing }: { listing: Listing<Row> }) {
  const { number, pageCount, count } = listing
  if (pageCount === 1) return null
  const at = (page: number) => addressOfPage(listing, page)
  return (
    <nav class="pages" aria-label="Pages">
      {number > 1 ? (
        <a href={at(number - 1)} rel="prev">
          Previous
        </a>
      ) : (
        <span />
      )}
      <span class="muted">
        Page {number} of {pageCount}, {count.toLocaleString('en')} total
      </span>
      {number < pageCount && (
        <a href={at(number + 1)} rel="next">
          Next
        </a>
      )}
    </nav>
  )
}
