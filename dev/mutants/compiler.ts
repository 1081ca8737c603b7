import { resolve } from 'node:path'
import ts from 'typescript'

/**
 * Finds the compiler's errors in files of the project whose texts were changed. Names that are only unused are no error here,
 * because a mutant that forgets a call leaves such names.
 *
 * @returns pairs of file and error
 */
export function createCompiler(): (texts: ReadonlyMap<string, string>) => [string, string][] {
  const { options, fileNames } = readProject()
  const lenient = { ...options, noUnusedLocals: false, noUnusedParameters: false }
  const ambient = fileNames.filter((name) => name.endsWith('.d.ts'))
  const host = ts.createCompilerHost(lenient)
  const read = host.getSourceFile.bind(host)
  const known = new Map<string, ts.SourceFile | undefined>()

  return (texts) => {
    const changed = new Map([...texts].map(([file, text]) => [resolve(file), text]))
    host.getSourceFile = (path, language) => {
      const text = changed.get(path)
      if (text !== undefined) return ts.createSourceFile(path, text, language)
      if (!known.has(path)) known.set(path, read(path, language))
      return known.get(path)
    }
    const program = ts.createProgram([...ambient, ...changed.keys()], lenient, host)
    return [...texts.keys()].flatMap((file) => {
      const source = program.getSourceFile(resolve(file))
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }): [string, string] => [file, ts.flattenDiagnosticMessageText(messageText, ' ')],
      )
    })
  }
}

function readProject(): ts.ParsedCommandLine {
  const project = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, ' '))
    },
  })
  if (project === undefined) throw new Error('tsconfig.json is not there')
  return project
}
