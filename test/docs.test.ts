import { EVENT_TYPES, LINE_EVENT_TYPES, ACCOUNT_EVENT_TYPES } from '../src/event-types.js'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { Command } from 'commander'
import { createProgram } from '../bin/program.js'
import { drawStates, STATES_PAGE } from '../dev/states.js'
import { CARRIER_KINDS } from '../src/carriers/registry.js'
import { MAGIC_NUMBERS } from '../src/carriers/simulator.js'
import { readConfig, SECRETS, settings } from '../src/config.js'
import { ACTIONS } from '../src/domain/operating/audit/actions.js'
import { ACTOR_KINDS } from '../src/domain/operating/audit/actor.js'
import { SCOPES } from '../src/domain/applications/application-access.js'
import { REFUSALS } from '../src/domain/messages/submit/refusals.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../src/states.js'
import { metricTable } from '../src/telemetry/metrics.js'
import { createVocabulary } from '../src/vocabulary.js'
import { BODY_REFUSALS, REASONS } from '../src/web/api/incoming-webhooks.js'
import { MAX_HEADER_FIELDS } from '../src/web/middleware/require-all-headers.js'
import { describeApi } from '../src/web/openapi/document.js'
import { operationsOf } from './web/openapi/described.js'

const MAX_README_LINES = 150

/** What is written for people, as far as it names things of the code or leads somewhere. */
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]

describe('docs', () => {
  it('the picture of the states is that of src/states.ts (npm run states)', async () => {
    expect(read(STATES_PAGE)).to.equal(await drawStates())
  })

  it('the README has at most 150 lines', () => {
    expect(read('README.md').trimEnd().split('\n')).to.have.length.of.at.most(MAX_README_LINES)
  })

  for (const page of PAGES) {
    it(`every link of ${page} leads somewhere`, () => {
      const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      const relative = links.filter((link) => !/^[a-z]+:/.test(link))
      expect(relative.filter((link) => !leadsSomewhere(page, link))).to.deep.equal([])
    })
  }

  it('every picture is shown on a page', () => {
    const text = PAGES.map(read).join()
    expect(readdirSync('docs/pictures').filter((file) => !text.includes(`pictures/${file})`))).to.deep.equal(
      [],
    )
  })

  it('a command of operating/ with a variable that the shell may not have does nothing then', () => {
    for (const page of PAGES.filter((each) => each.startsWith('docs/operating/')))
      expect(read(page), page).not.to.match(/"\$\{?[A-Z_]+\}?[/"]/)
  })

  for (const page of PAGES.filter((each) => each !== 'CHANGELOG.md')) {
    it(`every file that ${page} names is there`, () => {
      const named = [...read(page).matchAll(/`((?:[a-z-]+\/)+[\w.-]+\.(?:tsx?|sql|md|js))`/g)].map(
        ([, file = '']) => file,
      )
      expect(named.filter((file) => !/^dist\//.test(file) && !existsSync(file))).to.deep.equal([])
    })
  }

  it('configuration.md has every variable with its default and its sentence, and no other', () => {
    const rows = tableRows('docs/configuration.md', /^`([A-Z\d_]+)`$/).map(([name, standard, about]) => ({
      name,
      standard,
      about,
    }))
    expect(rows).to.deep.equal(
      Object.entries(settings).map(([name, schema]) => ({ name: code(name), ...describeSetting(schema) })),
    )
  })

  it('.env.example agrees with it', () => {
    const named = [...read('.env.example').matchAll(/^(?:# )?([A-Z\d_]+)=(.*)$/gm)]
    const expected = Object.entries(settings).filter(([name]) => name !== 'STARTED_BY_PID')
    expect(named.map(([, name, value]) => [name, value])).to.deep.equal(
      expected.map(([name, schema]) => [name, String((schema.describe() as Described).default ?? '')]),
    )
  })

  it('commands.md has every command with its description, and no other', async () => {
    const rows = tableRows('docs/commands.md', /^`linehook /).map(([command = '', about]) => ({
      command: command.replaceAll('`', '').replace(/ [<-].*$/, ''),
      about,
    }))
    expect(rows).to.deep.equal(leaves(await createProgram()))
  })

  it('metrics.md has every metric with its labels and its sentence, and no other', () => {
    const rows = tableRows('docs/metrics.md', /^`linehook_/)
    expect(rows).to.deep.equal(
      metricTable.map(({ name, labels, help }) => [code(name), labels.map(code).join(' '), help]),
    )
  })

  it('audit.md has every action and every kind of actor in the words that people read', () => {
    const rows = tableRows('docs/audit.md', /^`[a-z_]+(\.[a-z_]+)*`$/)
    const actors = Object.entries(ACTOR_KINDS).map(([kind, words]) => [code(kind), words])
    const actions = Object.entries(ACTIONS).map(([action, { subject, words }]) => [
      code(action),
      subject,
      words,
    ])
    expect(rows.slice(rows.findIndex(([first]) => first === actors[0]?.[0]))).to.deep.equal([
      ...actors,
      ...actions,
    ])
  })

  it('notices.md has every type with who is told and when', () => {
    const rows = tableRows('docs/notices.md', /^`[a-z_]+\.[a-z_]+`$/)
    expect(rows).to.deep.equal(
      ACCOUNT_EVENT_TYPES.map((type) => [code(type), EVENT_TYPES[type].who, EVENT_TYPES[type].when]),
    )
  })

  it('http.md has every operation of /v1 with its scopes, and no other', () => {
    const rows = tableRows('docs/http.md', /^`[A-Z]+ \/v1\//)
    const operations = operationsOf(describeLineApi()).filter(({ path }) => /^\/v1\/(?!oauth\/)/.test(path))
    expect(rows).to.deep.equal(
      operations.map(({ method, path, operation }) => {
        const { summary, security } = operation
        const asked = (security ?? []) as Record<string, string[]>[]
        const scopes = asked.flatMap(({ application = [] }) => application)
        return [code(`${method} ${path}`), summary, scopes.map(code).join(' ')]
      }),
    )
  })

  it('http.md has every reason for which the incoming webhook refuses, in the order of the checks', () => {
    const rows = tableRows('docs/http.md', /^\d{3}$/).map(([, reason]) => reason)
    const { tooLarge, unreadable } = BODY_REFUSALS
    const { data, fields, noWebhook, wrongToken } = REASONS
    const { overCap, overMonthlyCap, rateLimited, optedOut, keyReused, keyInFlight, ...ofRequest } = REFUSALS
    const { tooLong, unsendable, notANumber, notAllowed, countryPaused, nameNotTaken, shortCodeAbroad } =
      ofRequest
    const moment = 'must be a time such as 2026-11-21T13:00:00Z'
    expect(rows).to.deep.equal(
      [
        `Request has too many header fields: ${MAX_HEADER_FIELDS} at most`,
        'Method not allowed. See the Allow header',
        ...[noWebhook, wrongToken],
        'Content-Encoding is not supported',
        tooLarge,
        'Request body is not UTF-8',
        ...[unreadable, data, fields],
        ...[`sendAt ${moment}`, `expiresAt ${moment}`, 'clientRef must be text'],
        ...[tooLong, unsendable, notANumber, notAllowed, countryPaused, nameNotTaken, shortCodeAbroad],
        ofRequest.keyTooLong,
        ofRequest.keyEmpty,
        ...[ofRequest.sendAtTooFar, ofRequest.expiresAtOver, ofRequest.expiresBeforeSending],
        ...[ofRequest.carrierOptionsWrong, ofRequest.clientRefTooLong, ofRequest.clientRefUnsendable],
        ...[keyInFlight, keyReused, optedOut, rateLimited, overCap, overMonthlyCap],
        'Service is temporarily unavailable',
        'It is unknown whether the message was accepted. …',
        'Internal error',
      ].map(code),
    )
    expect(rows).to.include.members(Object.values(REFUSALS).map(code))
  })

  it('http.md has every type of events with when it is sent and what its payload is, and every scope', () => {
    const rows = tableRows('docs/http.md', /^`[\w:]+`$/)
    expect(rows.slice(0, LINE_EVENT_TYPES.length)).to.deep.equal(
      LINE_EVENT_TYPES.map((type) => [code(type), EVENT_TYPES[type].when, EVENT_TYPES[type].payloadWords]),
    )
    expect(rows.slice(LINE_EVENT_TYPES.length).map(([cell]) => cell)).to.deep.equal(SCOPES.map(code))
  })

  it('concepts.md has every state of messages and of deliveries', () => {
    const states = tableRows('docs/concepts.md', /^`\w+`$/).map(([cell]) => cell)
    expect(states).to.deep.equal([...MESSAGE_STATUSES, ...DELIVERY_STATUSES].map(code))
  })

  for (const [kind, { settings }] of CARRIER_KINDS) {
    it(`carriers/${kind}.md has every setting of its accounts`, () => {
      const rows = tableRows(`docs/carriers/${kind}.md`, /^`[a-z][A-Za-z\d]*`$/)
      expect(rows).to.deep.equal(
        Object.entries(settings.fields).map(([name, schema]) => {
          const { standard, about } = describeSetting(schema as Describable)
          return [code(name), standard, about]
        }),
      )
    })
  }

  it('carriers/simulator.md has every magic number', () => {
    const rows = tableRows('docs/carriers/simulator.md', /^\+\d/).map(([number]) => number)
    expect(rows).to.deep.equal(Object.values(MAGIC_NUMBERS))
  })

  it('operating/keys.md has every setting that is secret', () => {
    const rows = tableRows('docs/operating/keys.md', /^`[A-Z\d_]+`$/).map(([name]) => name)
    expect(rows).to.have.members(SECRETS.map(code))
  })

  it('data.md has every table in one class', () => {
    const tables = [...read('migrations/schema.sql').matchAll(/^create table (?:public\.)?(\w+)/gim)]
      .map(([, name = '']) => name)
      .filter((name) => !isPartition(name))
    expect(tables).to.have.length.above(40)
    const rows = tableRows('docs/data.md', /^(secret|content|about people|operating)$/)
    const named = rows.flatMap(([, , names = '']) =>
      [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name),
    )
    expect(named.filter((name) => name !== undefined && tables.includes(name))).to.have.members(tables)
  })

  describe('asvs.md', () => {
    const rows = tableRows('docs/asvs.md', /^\d+\.\d+\.\d+$/)

    it('has the 72 requirements, each with a verdict and with what shows it', () => {
      expect(new Set(rows.map(([id]) => id)).size).to.equal(72)
      const bare = rows.filter(([, asks = '', verdict = '', shown = '']) => {
        const links = linksIn(shown)
        const isShown = {
          holds: testsIn(shown).length > 0,
          documented: links.length > 0,
          exception: links.some((link) => link.startsWith('../SECURITY.md#')),
        }[verdict]
        return asks === '' || isShown !== true
      })
      expect(bare.map(([id, , verdict]) => `${id ?? ''} ${verdict ?? ''}`)).to.deep.equal([])
    })

    it('names tests that there are', () => {
      const named = rows.flatMap(([id, , , shown = '']) => testsIn(shown).map((test) => ({ id, ...test })))
      expect(named).to.have.length.above(30)
      expect(named.filter(({ file, name }) => !existsSync(file) || !hasTest(read(file), name))).to.deep.equal(
        [],
      )
    })

    it('has a row for every exception of SECURITY.md, each with the number of its requirement', () => {
      const [, exceptions = ''] = read('SECURITY.md').split('## Exceptions from ASVS 5.0')
      const sections = exceptions.split(/^### /m).slice(1)
      const told = sections.flatMap(
        (section) => /\n\n\(([\d., ]+)\)/.exec(section)?.[1]?.split(', ') ?? [section],
      )
      const excepted = rows.filter(([, , verdict]) => verdict === 'exception').map(([id]) => id)
      expect(told).to.have.members(excepted)
    })
  })

  it('every step of the journeys in architecture.md is a function in the file that it names', () => {
    const steps = [...read('docs/architecture.md').matchAll(/^\d+\. `([^`]+)` → `(\w+)`/gm)]
    expect(steps).to.have.length.above(50)
    const gone = steps.filter(([, file = '', name = '']) => !existsSync(file) || !defines(read(file), name))
    expect(gone.map(([step]) => step)).to.deep.equal([])
  })
})

function linksIn(cell: string): string[] {
  return [...cell.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

/** As "`test/file.test.ts`: "its name"". */
function testsIn(cell: string): { file: string; name: string }[] {
  return [...cell.matchAll(/`(test\/[\w./-]+)`: "([^"]+)"/g)].map(([, file = '', name = '']) => ({
    file,
    name,
  }))
}

function hasTest(source: string, name: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`it(${quote}${name}${quote}`))
}

function isPartition(name: string): boolean {
  return /_(default|\d{6})$/.test(name)
}

interface Described {
  default?: string | number | boolean
  optional: boolean
  meta?: { about: string }
}

interface Describable {
  describe(): unknown
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function code(text: string): string {
  return `\`${text}\``
}

/** The cells of the table rows whose first cell is like this. */
function tableRows(page: string, first: RegExp): string[][] {
  return read(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([cell = '']) => first.test(cell))
}

/** A setting as a table has it: its default, or that it must be there, and its sentence. */
function describeSetting(schema: Describable): { standard: string; about: string | undefined } {
  const { default: value, optional, meta } = schema.describe() as Described
  const isEmpty = value === undefined || value === ''
  // Such as a secret, which is another one each time.
  const isMadeUp = value !== (schema.describe() as Described).default
  if (isMadeUp) return { standard: 'generated', about: meta?.about }
  return {
    standard: isEmpty ? (optional ? '' : 'required') : code(String(value)),
    about: meta?.about,
  }
}

function leaves(command: Command, path = ''): { command: string; about: string }[] {
  const name = `${path}${command.name()}`
  if (command.commands.length === 0) return [{ command: name, about: command.description() }]
  return visible(command).flatMap((child) => leaves(child, `${name} `))
}

/** Without what only scripts call, and without `help`, which every command has. */
function visible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => command.commands.includes(each))
}

/** The description needs no more of a context than these. */
function describeLineApi(): Record<string, unknown> {
  const config = readConfig({
    DATABASE_URL: 'postgres://nowhere',
    REDIS_URL: 'redis://nowhere',
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  return describeApi({ config, vocabulary: createVocabulary('line') })
}

/** Whether the file is there, and in a page the heading. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(file)) return false
  return anchor === undefined || headingsOf(file).includes(anchor)
}

/** As GitHub makes anchors of them. */
function headingsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Whether a source has a function, a constant or a method of this name; what only calls it does not count. */
function defines(source: string, name: string): boolean {
  return [
    `\\b(function\\*?|const) ${name}\\b`,
    `^ +${name}: (async )?(\\(|\\w+ =>)`,
    `^create or replace function ${name}\\(`,
  ].some((pattern) => new RegExp(pattern, 'm').test(source))
}
