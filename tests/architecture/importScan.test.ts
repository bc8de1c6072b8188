// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources to scan are written as strings

import { assert, suite } from '#support/runner/suite'
import { scanImports } from './importScan'

const test = suite('import scan')

const found = (source: string) => scanImports(source).map(({ specifier }) => specifier)

test('every form of import is found', () => {
  const forms: Readonly<Record<string, string>> = {
    "import './effect'": './effect',
    "import whole from './whole'": './whole',
    "import { a, type B } from './named'": './named',
    "import {\n  a,\n  b,\n} from './lines'": './lines',
    "import * as all from './all'": './all',
    "import type { T } from './type'": './type',
    "import both, { a } from './both'": './both',
    "import { from } from './from'": './from',
    "import{a}from'./tight'": './tight',
    'import { a } from "./double"': './double',
    "import data from './data.json' with { type: 'json' }": './data.json',
    "export { a } from './again'": './again',
    "export * from './everything'": './everything',
    "export * as name from './everythingNamed'": './everythingNamed',
    "export type { T } from './typeAgain'": './typeAgain',
    "export type * from './types'": './types',
    "const lazy = await import('./lazy')": './lazy',
    'const lazy = await import(`./template`)': './template',
    "type T = import('./inType').T": './inType',
    "const old = require('./old')": './old',
    "const text = `a ${await import('./inTemplate')} b`": './inTemplate',
  }
  for (const [source, specifier] of Object.entries(forms)) assert.equal(found(source), [specifier], source)
})

test('what only looks like an import is none', () => {
  const others = [
    "// import './comment'",
    "/* import './comment'\n import './comment' */",
    `const text = "import './string'"`,
    "const text = `import './template'`",
    "const text = `${'x'} import './template' ${'y'}`",
    "const pattern = /import '.\\/pattern'/",
    "const pattern = /[/'] import '.\\/pattern'/",
    'const url = import.meta.url',
    "thing.import('./method')",
    "thing.require('./method')",
    "const keys = { import: 'x', export: 'y' }",
    "export const a = 1\nconst b = 'x'",
    "export type A = { from: 'x' }",
    'export { a }',
  ]
  for (const source of others) assert.equal(found(source), [], source)
})

test('a division, a quote in a comment or in a pattern hides no import that follows', () => {
  const before = [
    'const half = width / 2 / 3',
    'const half = 4 / 2; const third = 9 / 3',
    'const half = list[0] / (a + b) / 2',
    "// don't",
    "/* don't */",
    "const quote = /'/",
    'const tick = /`/g',
    "const escaped = 'it\\'s'",
    'const nested = `a ${`b ${{ c: 1 }.c} d`} e`',
    'const dollar = `$5 and \\${not} $`',
    'const ratio = `${a / b}` + c / d',
  ]
  for (const source of before) assert.equal(found(`${source}\nimport './after'`), ['./after'], source)
})

test('a computed import has no specifier', () => {
  assert.equal(found('await import(name)'), [undefined])
  assert.equal(found("await import('./a' + name)"), [undefined])
  assert.equal(found('await import(`./${name}`)'), [undefined])
})

test('lines are counted through comments, strings and templates', () => {
  const source = "/*\n*/\nconst a = `\n\n${1}\n`\nimport './a'\nimport {\n  b,\n} from './b'"
  assert.equal(scanImports(source), [
    { specifier: './a', line: 7 },
    { specifier: './b', line: 10 },
  ])
})

test.run()
