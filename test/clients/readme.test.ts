import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'

const CLIENT = resolve('clients/typescript')

/** What the text around the code has told of. */
const GIVEN = `
declare const webhookUrl: string, rawBody: Uint8Array, signingSecret: string
declare const request: { headers: Record<string, string> }
declare const console: { log(...what: unknown[]): void }
export {}
`

describe('the README of the TypeScript client', () => {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8')
  const samples = Array.from(readme.matchAll(/^```ts\n([^]*?)^```/gm), ([, code = '']) => code)

  it('has code that compiles under the client’s own settings', () => {
    expect(samples).to.have.length.of.at.least(3)
    const read = ts.readConfigFile(join(CLIENT, 'tsconfig.json'), (path) => ts.sys.readFile(path))
    const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, CLIENT)
    const files = new Map(samples.map((code, n) => [join(CLIENT, 'src', `sample-${n}.ts`), GIVEN + code]))
    const settings: ts.CompilerOptions = {
      ...options,
      noEmit: true,
      // Only the samples are in question, and checking Node's and TypeScript's own types takes most of the time.
      skipLibCheck: true,
      paths: { 'linehook-client': [join(CLIENT, 'src/index.ts')] },
    }
    const host = ts.createCompilerHost(settings)
    const plain = ts.createCompilerHost(settings)
    host.readFile = (path) => files.get(path) ?? plain.readFile(path)
    host.fileExists = (path) => files.has(path) || plain.fileExists(path)
    host.getSourceFile = (path, version, ...rest) => {
      const code = files.get(path)
      return code === undefined
        ? plain.getSourceFile(path, version, ...rest)
        : ts.createSourceFile(path, code, version, true)
    }
    const program = ts.createProgram([...files.keys()], settings, host)
    const faults = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) =>
          `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      )
    expect(faults).to.deep.equal([])
  })
})
