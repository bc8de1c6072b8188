import { assert, suite } from '#support/runner/suite'
import { measureSources } from '../figures/measureSources'

const test = suite('figures of the sources')

const file = (path: string, lines: readonly string[]) => ({ path, source: `${lines.join('\n')}\n` })

test('modules are counted by size, tests apart', () => {
  const { product, tests } = measureSources([
    file('core/long.ts', Array(201).fill('// line')),
    file('core/even.ts', Array(200).fill('// line')),
    file('core/short.ts', Array(20).fill('// line')),
    file('core/medium.ts', Array(21).fill('// line')),
    file('core/declared.d.ts', ["declare module '*.wat' {}"]),
    file('tests/unit/a.test.ts', Array(300).fill('// line')),
  ])
  assert.is(product.modules, 4)
  assert.is(product.lines, 443)
  assert.equal(product.long, ['core/long.ts  201'])
  assert.equal(product.short, ['core/short.ts  20'])
  assert.is(tests.lines, 300)
})

test('grouping spreads and abort listeners are counted where they are', () => {
  const listener = "signal.addEventListener('abort', act)"
  const figures = measureSources([
    file('core/a.ts', ['const a = { ...{ b, c }, ...d }', listener, "signal.addEventListener('close', act)"]),
    file('core/async/b.ts', [listener]),
    file('tests/unit/a.test.ts', ['const a = { ...{ b } }', listener]),
  ])
  assert.is(figures.product.spreads, 1)
  assert.is(figures.tests.spreads, 1)
  assert.is(figures.product.listeners, 1)
  assert.is(figures.asyncListeners, 1)
})

test('long functions, full folders, types of one name and small modules with one user are found', () => {
  const body = (lines: number) => ['export function count() {', ...Array(lines - 2).fill(''), '}']
  const figures = measureSources([
    file('core/a/long.ts', body(101)),
    file('core/a/even.ts', body(100)),
    file('core/a/screen.ts', body(40)),
    file('core/b/small.ts', ['export type Clip = 1']),
    file('core/b/user.ts', [
      "import type { Clip } from './small'",
      'export type Clip = 2',
      ...Array(50).fill(''),
    ]),
    ...Array.from({ length: 15 }, (_, n) => file(`core/c/m${n}.ts`, [''])),
  ])
  assert.equal(figures.longFunctions, ['core/a/long.ts:1  101'])
  assert.is(figures.over40, 2)
  assert.equal(figures.fullFolders, ['core/c  15'])
  assert.equal(figures.ambiguousTypes, ['Clip  core/b/small.ts core/b/user.ts'])
  assert.equal(figures.smallWithOneUser, ['core/b/small.ts'])
})

test('folders that import each other are found by both ways of naming a module', () => {
  const figures = measureSources([
    file('core/media/a/one.ts', ["import '../b/one'"]),
    file('core/media/b/one.ts', []),
    file('core/media/b/two.ts', ["import '#core/media/a/two'"]),
    file('core/media/a/two.ts', []),
    file('core/media/app.ts', ["import './a/one'"]),
  ])
  assert.equal(figures.folderPairs, ['core/media/a ⇄ core/media/b'])
})

test.run()
