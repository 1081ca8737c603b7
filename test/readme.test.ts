import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Command } from 'commander'
import { createProgram } from '../bin/program.js'
import { settings } from '../src/config.js'
import { MAGIC_NUMBERS } from '../src/carriers/simulator.js'

const readme = readFileSync('README.md', 'utf8')

describe('README', () => {
  it('has every variable with its default and its sentence, and no other', () => {
    const rows = tableRows(/^`([A-Z\d_]+)`$/).map(([name = '', standard, about]) => ({
      name: name.replaceAll('`', ''),
      standard,
      about,
    }))
    expect(rows).to.deep.equal(
      Object.entries(settings).map(([name, schema]) => {
        const {
          default: value,
          optional,
          meta,
        } = schema.describe() as {
          default?: string | number | boolean
          optional: boolean
          meta?: { about: string }
        }
        const standard = value === undefined ? (optional ? '' : 'required') : `\`${String(value)}\``
        return { name, standard, about: meta?.about }
      }),
    )
  })

  it('has every command with its description, and no other', () => {
    const rows = tableRows(/^`linehook /).map(([command = '', about]) => ({
      command: command.replaceAll('`', '').replace(/ [<-].*$/, ''),
      about,
    }))
    expect(rows).to.deep.equal(leaves(createProgram()))
  })

  it('has every magic number of the simulator', () => {
    const rows = tableRows(/^\+\d/).map(([number]) => number)
    expect(rows).to.deep.equal(Object.values(MAGIC_NUMBERS))
  })

  it('is agreed with by .env.example', () => {
    const named = [...readFileSync('.env.example', 'utf8').matchAll(/^(?:# )?([A-Z\d_]+)=(.*)$/gm)]
    const expected = Object.entries(settings).filter(([name]) => name !== 'STARTED_BY_PID')
    expect(named.map(([, name, value]) => [name, value])).to.deep.equal(
      expected.map(([name, schema]) => [
        name,
        String((schema.describe() as { default?: string | number | boolean }).default ?? ''),
      ]),
    )
  })
})

/** The cells of the table rows whose first cell is like this. */
function tableRows(first: RegExp): string[][] {
  return readme
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

function leaves(command: Command, path = ''): { command: string; about: string }[] {
  const name = `${path}${command.name()}`
  if (command.commands.length === 0) return [{ command: name, about: command.description() }]
  return command.commands.flatMap((child) => leaves(child, `${name} `))
}
