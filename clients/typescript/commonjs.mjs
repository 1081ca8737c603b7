import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'

// Node requires an ES module as it is, but TypeScript refuses one in a CommonJS file. So the declarations are there twice.
const folder = 'dist/commonjs'
mkdirSync(folder, { recursive: true })
for (const name of readdirSync('dist').filter((name) => name.endsWith('.d.ts'))) {
  cpSync(`dist/${name}`, `${folder}/${name}`)
}
writeFileSync(`${folder}/package.json`, '{"type":"commonjs"}\n')
