import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * `npm run words` prints every sentence and label that people see, as `file:line` and the words, to be read in one
 * go. It looks at the pages, refusals, notifications, mails and the command line; `npm run words -- console` leaves
 * out files without `console` in their path. Interpolated values are shown as `…`.
 */
const FOLDERS = ['src', 'bin']
/** Text that is not English for people: SQL, Lua, HTML, paths, options, headers, media types, lists of keys. */
const NO_WORDS =
  /^(select|update \w+ set|insert into|delete from|with \w+ as|and|or|left join|order by|create|begin|local) |::|\$\d|^(get|post|put|patch|delete) [/…]|^[a-z-]+(\/[a-z-]+)+|^--[\w, -]+<|^[\w -]+="|redis\.call|-src '|<!doctype|^private, |^public, |^\W*$/
/** Attributes that people see or hear. */
const VISIBLE = new Set(['title', 'label', 'placeholder', 'aria-label', 'alt', 'summary', 'hint', 'caption'])

// `npm run words | head` ends when `head` does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? 0 : 1)
})

const [only] = process.argv.slice(2)
for (const folder of FOLDERS) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, file)
    if (/\.tsx?$/.test(file) && path.includes(only ?? '')) printWords(path)
  }
}

function printWords(path: string): void {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  let text = ''
  const print = (node: ts.Node, words: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    const said = words.replaceAll(/\s+/g, ' ').trim()
    if (/[A-Za-z]{2}/.test(said) && said !== text) console.log(`${path}:${line + 1}\t${said}`)
    text = said
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      const words = node.children.map((child) => wordsOf(child)).join('')
      if (node.children.some((child) => ts.isJsxText(child) && /\w/.test(child.text))) print(node, words)
    } else if (ts.isJsxAttribute(node)) {
      const { name, initializer } = node
      if (VISIBLE.has(name.getText()) && initializer && ts.isStringLiteral(initializer))
        print(node, initializer.text)
    } else if (isText(node) && isSaid(node)) print(node, wordsOf(node))
    if (!ts.isImportDeclaration(node)) ts.forEachChild(node, visit)
  }
  visit(source)
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
}

/** True for words with a space between them that are neither attributes nor SQL. */
function isSaid(node: ts.Node): boolean {
  const words = wordsOf(node).trim()
  const isAttribute = ts.isJsxAttribute(node.parent)
  const isTagged = ts.isTaggedTemplateExpression(node.parent)
  // What `src/database` says to people begins with a capital letter; the rest of its texts are pieces of SQL.
  const isSql = node.getSourceFile().fileName.startsWith('src/database/') && !/^[A-Z`]/.test(words)
  return (
    !isAttribute && !isTagged && !isSql && /[A-Za-z]{2}.* .*[a-z]{2}/s.test(words) && !NO_WORDS.test(words)
  )
}

function wordsOf(node: ts.Node): string {
  if (ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
  if (ts.isJsxElement(node)) return node.children.map((child) => wordsOf(child)).join('')
  if (ts.isJsxExpression(node)) {
    const inner = node.expression
    return inner && (ts.isStringLiteral(inner) || ts.isTemplateExpression(inner)) ? wordsOf(inner) : '…'
  }
  return ''
}
