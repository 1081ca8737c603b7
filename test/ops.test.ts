import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { measureProcess, metricTable, scrape } from '../src/telemetry/metrics.js'
import { promtool } from './helpers/services/promtool.js'
import { createDataFolder } from './helpers/services/services.js'

const ALERTS = 'ops/alerts.yaml'
const DASHBOARD = 'ops/grafana.json'

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[]
}

describe('what Prometheus and Grafana are given', function () {
  // The first run may unpack Debian's packages.
  this.timeout(400_000)

  /** Every name that a process answers with, those of histograms as they come. */
  async function findNames(): Promise<Set<string>> {
    measureProcess('web', '1.2.3')
    const { text } = await scrape()
    const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', kind]) =>
      kind === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    )
    return new Set(names)
  }

  for (const file of [ALERTS, DASHBOARD]) {
    it(`${file} names no metric that there is not`, async () => {
      const names = await findNames()
      const named = readFileSync(file, 'utf8').match(/\blinehook_\w+/g) ?? []
      expect(named).to.have.length.above(15)
      // The description of an alert may name one without its parts.
      const known = (name: string) => names.has(name) || metricTable.some((each) => each.name === name)
      expect(named.filter((name) => !known(name))).to.deep.equal([])
    })
  }

  it('every label that a query names is one of its metric', () => {
    const standing = ['process', 'instance', 'job', 'le']
    for (const query of [...queriesOfAlerts(), ...queriesOfDashboard()]) {
      const metrics = query.match(/\blinehook_\w+/g) ?? []
      const allowed = metrics.flatMap((name) => labelsOf(name))
      const inBraces = [...query.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)
      const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */))
      expect([...allowed, ...standing], query).to.include.members([...inBraces, ...grouped])
    }
  })

  it('every alert says how bad it is, and leads to its section of the runbook', () => {
    const text = readFileSync(ALERTS, 'utf8')
    const alerts = text.split('- alert: ').slice(1)
    expect(alerts).to.have.length.above(10)
    const runbook = headingsOf('docs/operating/runbooks.md')
    for (const alert of alerts) {
      const name = alert.slice(0, alert.indexOf('\n'))
      expect(name).to.match(/^Linehook[A-Z]\w+$/)
      expect(alert, name).to.match(/severity: (critical|warning)/)
      const [, anchor] = /runbook: docs\/operating\/runbooks\.md#(\S+)/.exec(alert) ?? []
      expect(runbook, name).to.include(anchor)
      expect(readFileSync('docs/operating/runbooks.md', 'utf8'), name).to.include(`\`${name}\``)
    }
  })

  it('every query of the dashboard has a title and is one that Prometheus reads', async () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard
    expect(new Set(panels.map(({ title }) => title)).size).to.equal(panels.length)
    const rules = queriesOfDashboard().map((query, n) => ({ record: `query_${n}`, expr: query }))
    const file = join(createDataFolder('queries'), 'queries.yaml')
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }))
    expect(await promtool(['check', 'rules', file])).to.include(`${rules.length} rules found`)
  })

  it('promtool accepts the alerts', async () => {
    expect(await promtool(['check', 'rules', '--lint-fatal', ALERTS])).to.match(/SUCCESS: \d+ rules found/)
  })

  it('alerts come when they should, and not before (test/ops/alerts.yaml)', async () => {
    expect(await promtool(['test', 'rules', 'test/ops/alerts.yaml'])).to.include('SUCCESS')
  })

  it('promtool finds nothing in the metrics of ours', async () => {
    const ours = (await scrape()).text.split(/\n\n/).filter((part) => {
      const [, name] = /^# HELP (\w+)/.exec(part) ?? []
      return metricTable.some((each) => each.name === name)
    })
    expect(ours).to.have.length(metricTable.length)
    expect(await promtool(['check', 'metrics'], `${ours.join('\n')}\n`)).to.equal('')
  })
})

/** Those of the file, one line each. */
function queriesOfAlerts(): string[] {
  const text = readFileSync(ALERTS, 'utf8')
  return [...text.matchAll(/^ +expr: ([^]*?)\n +(?:for|labels):/gm)].map(([, query = '']) => query)
}

function queriesOfDashboard(): string[] {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))
}

/** Of a metric of ours, also of a part of a histogram. */
function labelsOf(name: string): readonly string[] {
  const base = name.replace(/_(bucket|sum|count)$/, '')
  return metricTable.find((each) => each.name === name || each.name === base)?.labels ?? []
}

/** As anchors of links. */
function headingsOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  )
}
